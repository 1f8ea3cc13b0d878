/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of collectors/owners/owner-table.h: tables of owners. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include "collectors/owners/owner-table.h"
#include "tests/unit/support/faults/allocation.h"

static void finds_the_rows_it_made(void **state)
{
	struct owner_table s = {.created_ns = 42};
	struct scope *a, *b;

	(void)state;
	a = owner_table_get(&s, "init", 4);
	b = owner_table_get(&s, "init2", 5);
	assert_non_null(a);
	assert_ptr_not_equal(a, b);
	assert_ptr_equal(owner_table_get(&s, "init", 4), a);
	assert_ptr_equal(owner_table_at(&s, a->slot), a);
	assert_string_equal(a->key, "init");
	assert_int_equal(a->created_ns, 42);
	assert_int_equal(s.count, 2);
	owner_table_done(&s);
}

/* Keys are bytes: a uid may contain zero bytes. */
static void keeps_keys_with_zero_bytes_apart(void **state)
{
	static const uint32_t uids[] = {0, 1, 256, 65536};
	struct owner_table s = {0};
	struct scope *row[4];

	(void)state;
	for (size_t i = 0; i < 4; i++)
		row[i] = owner_table_get(&s, &uids[i], sizeof(uids[i]));
	for (size_t i = 0; i < 4; i++)
		for (size_t k = 0; k < i; k++)
			assert_ptr_not_equal(row[i], row[k]);
	owner_table_done(&s);
}

/* Rows come and go. A row that stays keeps its slot and is found; one that left is not. */
static void survives_churn(void **state)
{
	enum { NAMES = 300 };
	struct owner_table s = {0};
	uint32_t slot[NAMES];
	bool there[NAMES] = {false};
	uint64_t seed = 7;

	(void)state;
	for (unsigned int round = 0; round < 20000; round++) {
		unsigned int name = (unsigned int)(unit_random(&seed) % NAMES);
		char key[16];
		size_t len = (size_t)snprintf(key, sizeof(key), "n%u", name), count = s.count;
		struct scope *row = owner_table_get(&s, key, len);

		assert_non_null(row);
		assert_int_equal(s.count, there[name] ? count : count + 1);
		if (there[name])
			assert_int_equal(row->slot, slot[name]);
		slot[name] = row->slot;
		there[name] = unit_random(&seed) % 2;
		if (!there[name])
			owner_table_remove(&s, row);
	}
	assert_true(s.slots <= 2 * NAMES); /* slots are reused */
	owner_table_done(&s);
}

static void walks_every_row_once(void **state)
{
	struct owner_table s = {0};
	unsigned int seen = 0;

	(void)state;
	for (unsigned int i = 0; i < 100; i++)
		owner_table_get(&s, &i, sizeof(i));
	for (unsigned int i = 0; i < 100; i += 3)
		owner_table_remove(&s, owner_table_get(&s, &i, sizeof(i)));
	for (struct scope *row = NULL; (row = owner_table_next(&s, row));)
		seen++;
	assert_int_equal(seen, 66);
	assert_int_equal(s.count, 66);
	owner_table_done(&s);
}

/* Each owner is added with each allocation failing, and then gets the slot that it would have. */
static void stays_whole_without_memory(void **state)
{
	struct owner_table s = {0};
	unsigned int failures = 0;

	(void)state;
	for (uint32_t i = 0; i < 100; i++) {
		struct scope *row = NULL;

		for (unsigned int n = 1; !row; n++) {
			allocation_fail_at(n);
			row = owner_table_get(&s, &i, sizeof(i));
			assert_true(allocation_end() == !row);
			assert_ptr_equal(owner_table_find(&s, &i, sizeof(i)), row);
			failures += !row;
		}
		assert_int_equal(row->slot, i);
		assert_int_equal(s.count, i + 1);
	}
	/* an owner and its key, slots for 32, 64 and 128 owners, an index for 32, 64 and 128 */
	assert_int_equal(failures, 2 * 100 + 3 + 3);
	owner_table_done(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_the_rows_it_made),
		cmocka_unit_test(keeps_keys_with_zero_bytes_apart),
		cmocka_unit_test(survives_churn),
		cmocka_unit_test(walks_every_row_once),
		cmocka_unit_test(stays_whole_without_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
