/* SPDX-License-Identifier: Apache-2.0 */
/* Tests the index of a table. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include "base/cleanup.h"
#include "base/hashmap.h"
#include "tests/unit/support/faults/allocation.h"

enum { ROWS = 512 };

/*
 * Half of the rows have hashes that are spread. Of the others, at least four each differ in the
 * high half of the hash only, and some of them wrap around at the last slot.
 */
static uint64_t hash_of(uint32_t row)
{
	if (row % 2)
		return row * UINT64_C(0x9e3779b97f4a7c15) >> 16;
	return (uint64_t)(row % 8) << 40 | (uint32_t)(row / 8 % 4 << 20 | (row / 32 - 8));
}

/* Returns how often M finds ROW. Fails the test if M finds a row with another hash. */
static unsigned int finds(const struct hashmap *m, uint32_t row)
{
	unsigned int count = 0;
	uint32_t found;

	for (size_t at = 0; hashmap_next(m, hash_of(row), &at, &found);) {
		assert_int_equal((uint32_t)hash_of(found), (uint32_t)hash_of(row));
		count += found == row;
	}
	return count;
}

static void equals_an_array(void **state)
{
	CLEANUP(hashmap_done) struct hashmap m = {0};
	bool has[ROWS] = {false};
	uint64_t seed = 1;

	(void)state;
	for (unsigned int round = 0; round < 100000; round++) {
		uint32_t row = unit_random(&seed) % ROWS;
		size_t used = 0;

		if (has[row] && unit_random(&seed) % 2)
			hashmap_remove(&m, hash_of(row), row);
		else if (!has[row])
			assert_int_equal(hashmap_add(&m, hash_of(row), row), 0);
		else
			continue;
		has[row] = !has[row];
		assert_int_equal(finds(&m, row), has[row]);
		if (round % 64)
			continue;
		for (row = 0; row < ROWS; row++) {
			assert_int_equal(finds(&m, row), has[row]);
			used += has[row];
		}
		assert_int_equal(m.used, used);
		assert_true(m.used * 2 <= m.slots);
	}
}

static void finds_all_rows_with_a_hash(void **state)
{
	CLEANUP(hashmap_done) struct hashmap m = {0};
	uint32_t row, sum = 0;

	(void)state;
	for (uint32_t i = 0; i < 100; i++)
		assert_int_equal(hashmap_add(&m, i % 2 ? 7 : 8, i), 0);
	for (size_t at = 0; hashmap_next(&m, 7, &at, &row);) {
		assert_int_equal(row % 2, 1);
		sum += row;
	}
	assert_int_equal(sum, 2500);
}

static void keeps_memory_when_cleared(void **state)
{
	CLEANUP(hashmap_done) struct hashmap m = {0};

	(void)state;
	hashmap_clear(&m);
	for (uint32_t row = 0; row < ROWS; row++)
		assert_int_equal(hashmap_add(&m, hash_of(row), row), 0);
	hashmap_clear(&m);
	assert_int_equal(m.used, 0);
	for (uint32_t row = 0; row < ROWS; row++)
		assert_int_equal(finds(&m, row), 0);
	allocation_fail_at(1);
	for (uint32_t row = 0; row < ROWS; row++)
		assert_int_equal(hashmap_add(&m, hash_of(row), row), 0);
	assert_false(allocation_end());
}

static void survives_without_memory(void **state)
{
	CLEANUP(hashmap_done) struct hashmap m = {0};
	uint32_t rows = 0;

	(void)state;
	assert_int_equal(finds(&m, 0), 0);
	for (unsigned int failures = 0; failures < 4;) {
		int r;

		allocation_fail_at(1);
		r = hashmap_add(&m, hash_of(rows), rows);
		assert_int_equal(r, allocation_end() ? -ENOMEM : 0);
		if (r < 0) {
			failures++;
			assert_int_equal(m.used, rows);
			assert_int_equal(finds(&m, rows), 0);
			assert_int_equal(hashmap_add(&m, hash_of(rows), rows), 0);
		}
		rows++;
		for (uint32_t row = 0; row < rows; row++)
			assert_int_equal(finds(&m, row), 1);
	}
}

static void has_a_limit(void **state)
{
	CLEANUP(hashmap_done) struct hashmap m = {0};
	uint32_t row;
	size_t at = 0;

	(void)state;
	assert_int_equal(hashmap_add(&m, 1, (size_t)HASHMAP_ROW_MAX + 1), -ENOMEM);
	assert_int_equal(hashmap_add(&m, 1, HASHMAP_ROW_MAX), 0);
	assert_true(hashmap_next(&m, 1, &at, &row));
	assert_int_equal(row, HASHMAP_ROW_MAX);
	assert_false(hashmap_next(&m, 1, &at, &row));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(equals_an_array),
		cmocka_unit_test(finds_all_rows_with_a_hash),
		cmocka_unit_test(keeps_memory_when_cleared),
		cmocka_unit_test(survives_without_memory),
		cmocka_unit_test(has_a_limit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
