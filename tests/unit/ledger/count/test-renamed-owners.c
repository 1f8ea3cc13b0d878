/* SPDX-License-Identifier: Apache-2.0 */
/* Tests how the ledger finds the former row of an owner after its user was renamed. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include "ledger/count/renamed-owners.h"
#include "tests/unit/support/faults/allocation.h"

enum { BEFORE = 1, NOW = 2 }; /* snapshots */

static struct row *add(
	struct rows *rows, const char *name, const char *user, uint64_t created_ns, uint64_t seen)
{
	struct row *row = rows_get(rows, USAGE_CONTAINER, 0, name, user);

	assert_non_null(row);
	row->created_ns = created_ns;
	row->seen = seen;
	row->now.is_known = seen == BEFORE;
	return row;
}

static void present_or_userless_owners_are_not_found(void **state)
{
	AUTO_RENAMED_OWNERS struct renamed_owners f = {0};
	struct rows rows = {0};
	struct row *row;

	(void)state;
	assert_int_equal(renamed_owners_collect(&f, &rows, NOW), 0);
	assert_int_equal(f.count, 0);
	add(&rows, "here", "alice", 5, NOW)->now.is_known = true;
	add(&rows, "ended before", "alice", 5, BEFORE)->now.is_known = false;
	row = rows_get(&rows, USAGE_PROGRAM, 0, "bash", "");
	assert_non_null(row);
	row->now.is_known = true;
	row->seen = BEFORE;
	assert_int_equal(renamed_owners_collect(&f, &rows, NOW), 0);
	assert_int_equal(f.count, 0);
	row = add(&rows, "here", "bob", 5, NOW);
	assert_null(renamed_owners_find(&f, row, 5, 0));
	rows_done(&rows);
}

static void each_of_many_is_found(void **state)
{
	enum { COUNT = 3000, TIMES = 7 };
	AUTO_RENAMED_OWNERS struct renamed_owners f = {0};
	struct row *former[COUNT];
	struct rows rows = {0};
	char name[16];

	(void)state;
	for (unsigned int i = 0; i < COUNT; i++) {
		snprintf(name, sizeof(name), "c%u", i);
		former[i] = add(&rows, name, "alice", i % TIMES, BEFORE);
		add(&rows, name, "bob", i % TIMES, NOW);
	}
	assert_int_equal(renamed_owners_collect(&f, &rows, NOW), 0);
	assert_int_equal(f.count, COUNT);
	for (unsigned int i = 0; i < COUNT; i++) {
		const struct row *row;

		snprintf(name, sizeof(name), "c%u", i);
		row = rows_find(&rows, USAGE_CONTAINER, 0, name, "bob");
		assert_non_null(row);
		assert_ptr_equal(renamed_owners_find(&f, row, i % TIMES, 0), former[i]);
		assert_null(renamed_owners_find(&f, row, i % TIMES + 1, 0)); /* another counter */
	}
	assert_null(renamed_owners_find(&f, add(&rows, "c", "bob", 0, NOW), 0, 0));
	assert_null(renamed_owners_find(&f, add(&rows, "d", "bob", 0, NOW), TIMES, 0));
	rows_done(&rows);
}

/*
 * In a pass several users change their names. A former owner is found by the uid, or else by the
 * counter, and only once.
 */
static void the_nearest_of_several_is_found(void **state)
{
	AUTO_RENAMED_OWNERS struct renamed_owners f = {0};
	struct row *alice, *bob, *row;
	struct rows rows = {0};

	(void)state;
	alice = add(&rows, "c0ffee", "alice", 5, BEFORE);
	bob = add(&rows, "c0ffee", "bob", 5, BEFORE);
	alice->counted = 100;
	bob->counted = 200;
	row = add(&rows, "c0ffee", "1000", 5, NOW);
	assert_int_equal(renamed_owners_collect(&f, &rows, NOW), 0);
	assert_ptr_equal(renamed_owners_find(&f, row, 5, 110), alice);
	assert_ptr_equal(renamed_owners_find(&f, row, 5, 210), bob);
	alice->id = 1000;
	bob->id = 1001;
	row->id = 1000;
	assert_ptr_equal(renamed_owners_find(&f, row, 5, 210), alice);
	row->id = 1001;
	assert_ptr_equal(renamed_owners_find(&f, row, 5, 110), bob);
	bob->now.is_known = false; /* another owner continues from it */
	assert_ptr_equal(renamed_owners_find(&f, row, 5, 210), alice);
	alice->now.is_known = false;
	assert_null(renamed_owners_find(&f, row, 5, 110));
	rows_done(&rows);
}

static void lack_of_memory_is_reported(void **state)
{
	AUTO_RENAMED_OWNERS struct renamed_owners f = {0};
	struct rows rows = {0};

	(void)state;
	add(&rows, "c0ffee", "alice", 5, BEFORE);
	allocation_fail_at(1);
	assert_int_equal(renamed_owners_collect(&f, &rows, NOW), -ENOMEM);
	assert_true(allocation_end());
	assert_int_equal(f.count, 0);
	rows_done(&rows);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(present_or_userless_owners_are_not_found),
		cmocka_unit_test(each_of_many_is_found),
		cmocka_unit_test(the_nearest_of_several_is_found),
		cmocka_unit_test(lack_of_memory_is_reported),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
