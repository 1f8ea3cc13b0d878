/* SPDX-License-Identifier: Apache-2.0 */
/* Tests growing arrays. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "tests/unit/support/faults/allocation.h"

static void grows_to_twice_the_room(void **state)
{
	AUTO_FREE uint32_t *item = NULL;
	size_t room = 0, expected = 32;

	(void)state;
	for (uint32_t count = 0; count < 1000; count++) {
		if (ARRAY_RESERVE(item, room, count + 1) < 0) {
			fail_msg("no memory");
			return; /* for clang-tidy, to which the line before may return */
		}
		expected *= count == expected ? 2 : 1;
		assert_int_equal(room, expected);
		item[count] = count;
	}
	for (uint32_t i = 0; i < 1000; i++)
		assert_int_equal(item[i], i);
}

static void grows_to_the_count_if_that_is_more(void **state)
{
	AUTO_FREE char *item = NULL;
	size_t room = 0;

	(void)state;
	assert_int_equal(ARRAY_RESERVE(item, room, 0), 0);
	assert_non_null(item);
	assert_int_equal(ARRAY_RESERVE(item, room, 1000), 0);
	assert_int_equal(room, 1000);
	allocation_fail_at(1);
	assert_int_equal(ARRAY_RESERVE(item, room, 1000), 0);
	assert_false(allocation_end());
}

static void failure_changes_nothing(void **state)
{
	AUTO_FREE uint64_t *item = NULL;
	size_t room = 0;

	(void)state;
	for (unsigned int round = 0; round < 2; round++) {
		const uint64_t *before = item;
		size_t room_before = room;

		allocation_fail_at(1);
		assert_int_equal(ARRAY_RESERVE(item, room, room + 1), -ENOMEM);
		assert_true(allocation_end());
		assert_ptr_equal(item, before);
		assert_int_equal(room, room_before);
		assert_int_equal(ARRAY_RESERVE(item, room, room + 1), 0);
	}
}

static void finds_the_first(void **state)
{
	static const int sorted[] = {10, 20, 20, 30};

	(void)state;
	assert_int_equal(ARRAY_FIRST(0, i, sorted[i] >= 0), 0);
	assert_int_equal(ARRAY_FIRST(4, i, sorted[i] >= 5), 0);
	assert_int_equal(ARRAY_FIRST(4, i, sorted[i] >= 10), 0);
	assert_int_equal(ARRAY_FIRST(4, i, sorted[i] >= 11), 1);
	assert_int_equal(ARRAY_FIRST(4, i, sorted[i] >= 20), 1);
	assert_int_equal(ARRAY_FIRST(4, i, sorted[i] > 20), 3);
	assert_int_equal(ARRAY_FIRST(4, i, sorted[i] > 30), 4);
	for (size_t place = 0; place <= 1000; place++)
		assert_int_equal(ARRAY_FIRST(1000, i, i >= place), place);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(grows_to_twice_the_room),
		cmocka_unit_test(grows_to_the_count_if_that_is_more),
		cmocka_unit_test(failure_changes_nothing),
		cmocka_unit_test(finds_the_first),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
