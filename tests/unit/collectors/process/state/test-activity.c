/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of collectors/process/state/activity.h: what a process adds in each pass. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include "base/cleanup.h"
#include "collectors/process/state/activity.h"

enum { SINCE = 1000 };

static const struct activity_counts first = {
	.user_ticks = 500, .system_ticks = 40, .minor_faults = 70, .major_faults = 3};

static void assert_step(
	const struct activity *a, uint64_t user, uint64_t system, uint64_t minor, uint64_t major)
{
	assert_true(a->is_read);
	assert_int_equal(a->step.user_ticks, user);
	assert_int_equal(a->step.system_ticks, system);
	assert_int_equal(a->step.minor_faults, minor);
	assert_int_equal(a->step.major_faults, major);
}

/* It may have run for months before memtallyd. */
static void an_older_process_begins_at_0(void **state)
{
	struct activity_counts next = first;
	struct activity a = {0};

	(void)state;
	activity_take(&a, 'S', &first, SINCE, SINCE);
	assert_step(&a, 0, 0, 0, 0);
	next.user_ticks += 7;
	next.system_ticks += 6;
	next.minor_faults += 5;
	next.major_faults += 4;
	activity_take(&a, 'S', &next, SINCE, SINCE);
	assert_step(&a, 7, 6, 5, 4);
	activity_take(&a, 'S', &next, SINCE, SINCE);
	assert_step(&a, 0, 0, 0, 0);
}

static void a_later_process_adds_all_since_its_start(void **state)
{
	struct activity a = {0};

	(void)state;
	activity_take(&a, 'S', &first, SINCE + 1, SINCE);
	assert_step(&a, 500, 40, 70, 3);
}

/* The pid has a new process, with lower or higher counts. */
static void another_process_is_not_compared_with_the_former(void **state)
{
	struct activity_counts next = {.minor_faults = 9, .user_ticks = 900};
	struct activity a = {0};

	(void)state;
	activity_take(&a, 'S', &first, SINCE - 1, SINCE);
	activity_take(&a, 'S', &next, SINCE + 5, SINCE);
	assert_step(&a, 900, 0, 9, 0);
}

static void counts_that_fall_add_nothing(void **state)
{
	struct activity_counts next = first;
	struct activity a = {0};

	(void)state;
	activity_take(&a, 'S', &first, SINCE, SINCE);
	next.minor_faults = 60;
	next.user_ticks = 501;
	activity_take(&a, 'S', &next, SINCE, SINCE);
	assert_step(&a, 1, 0, 0, 0);
	next.minor_faults = 62;
	activity_take(&a, 'S', &next, SINCE, SINCE);
	assert_step(&a, 0, 0, 2, 0);
}

static void states_are_those_of_the_kernel(void **state)
{
	static const struct {
		char letter;
		enum activity_state state;
	} cases[] = {{'R', ACTIVITY_RUNNING}, {'S', ACTIVITY_SLEEPING}, {'D', ACTIVITY_WAITING},
		{'T', ACTIVITY_OTHER}, {'t', ACTIVITY_OTHER}, {'Z', ACTIVITY_OTHER},
		{'X', ACTIVITY_OTHER}, {'I', ACTIVITY_OTHER}, {'?', ACTIVITY_OTHER}};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct activity a = {0};

		activity_take(&a, cases[i].letter, &first, SINCE, SINCE);
		assert_int_equal(a.state, cases[i].state);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_older_process_begins_at_0),
		cmocka_unit_test(a_later_process_adds_all_since_its_start),
		cmocka_unit_test(another_process_is_not_compared_with_the_former),
		cmocka_unit_test(counts_that_fall_add_nothing),
		cmocka_unit_test(states_are_those_of_the_kernel),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
