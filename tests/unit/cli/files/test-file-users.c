/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of cli/files/file-users.h: the processes that map each file. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include "cli/files/file-users.h"
#include "tests/unit/support/faults/allocation.h"

static int fill(struct file_users *m)
{
	static const struct {
		pid_t pid;
		uint32_t row[3];
		uint64_t pss[3];
	} some[] = {
		{30, {2, 0, 1}, {5, 50, 500}},
		{10, {1, 2, 0}, {7, 70, 70}},
		{20, {0, 2, 7}, {9, 90, 0}},
	};
	int r = 0;

	for (size_t i = 0; r == 0 && i < ARRAY_SIZE(some); i++) {
		r = file_users_add_process(
			m, some[i].pid, 1000, "cat", i ? "a.service" : NULL, NULL);
		for (size_t k = 0; r == 0 && k < 3; k++) {
			struct file_table_part part = {.row = some[i].row[k],
				.present = UINT64_C(1) << FILE_TABLE_PSS,
				.q[FILE_TABLE_PSS] = some[i].pss[k]};

			if (part.row == 7)
				part.present = 0;
			r = file_users_add(m, &part);
		}
	}
	return r;
}

static pid_t pid_at(const struct file_users *m, size_t i)
{
	return m->process[m->item[i].process].pid;
}

static void sorts_by_pid_by_amount_and_by_file(void **state)
{
	AUTO_FILE_USERS struct file_users m = {0};
	const struct file_user *of;
	size_t count;

	(void)state;
	assert_null(file_users_of(&m, 0, &count));
	assert_int_equal(count, 0);
	assert_int_equal(fill(&m), 0);
	file_users_sort(&m, FILE_TABLE_FIELDS);
	for (size_t i = 0; i < 9; i++)
		assert_int_equal(pid_at(&m, i), 10 + 10 * (i / 3));
	assert_int_equal(m.item[0].part.row, 0);
	assert_int_equal(m.item[2].part.row, 2);
	file_users_sort(&m, FILE_TABLE_PSS);
	assert_int_equal(m.item[0].part.q[FILE_TABLE_PSS], 500);
	assert_int_equal(m.item[1].part.q[FILE_TABLE_PSS], 90);
	assert_int_equal(m.item[2].part.row, 0); /* the first of two with 70 */
	assert_int_equal(m.item[8].part.row, 7); /* unknown PSS is last */
	file_users_sort_by_file(&m);
	of = file_users_of(&m, 2, &count);
	assert_int_equal(count, 3);
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(m.process[of[i].process].pid, 10 + 10 * i);
	(void)file_users_of(&m, 3, &count);
	assert_int_equal(count, 0);
	assert_null(m.process[0].unit);
	assert_string_equal(m.process[1].unit, "a.service");
}

static bool is_even(uint32_t row, const void *context)
{
	return *(const bool *)context && row % 2 == 0;
}

/* The files that were asked for are known only at the end. */
static void drops_mappers_of_unwanted_files(void **state)
{
	AUTO_FILE_USERS struct file_users m = {0};
	bool is_any = true;
	size_t count;

	(void)state;
	assert_int_equal(fill(&m), 0);
	file_users_keep(&m, is_even, &is_any);
	assert_int_equal(m.count, 6);
	for (size_t i = 0; i < m.count; i++)
		assert_int_equal(m.item[i].part.row % 2, 0);
	file_users_sort_by_file(&m);
	(void)file_users_of(&m, 1, &count);
	assert_int_equal(count, 0);
	(void)file_users_of(&m, 2, &count);
	assert_int_equal(count, 3);
	is_any = false;
	file_users_keep(&m, is_even, &is_any);
	assert_int_equal(m.count, 0);
}

static void number_of_mappers_is_limited(void **state)
{
	AUTO_FILE_USERS struct file_users m = {0};
	struct file_table_part part = {.row = 1};

	(void)state;
	assert_int_equal(file_users_add_process(&m, 1, 0, "cat", NULL, NULL), 0);
	for (size_t i = 0; i < FILE_USERS_MAX + 5; i++)
		assert_int_equal(file_users_add(&m, &part), 0);
	assert_int_equal(m.count, FILE_USERS_MAX);
	assert_int_equal(m.left_out, 5);
}

static void fails_without_memory(void **state)
{
	(void)state;
	for (unsigned int n = 1; n; n = allocation_next(n)) {
		AUTO_FILE_USERS struct file_users m = {0};

		allocation_fail_at(n);
		allocation_check(fill(&m));
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(sorts_by_pid_by_amount_and_by_file),
		cmocka_unit_test(drops_mappers_of_unwanted_files),
		cmocka_unit_test(number_of_mappers_is_limited),
		cmocka_unit_test(fails_without_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
