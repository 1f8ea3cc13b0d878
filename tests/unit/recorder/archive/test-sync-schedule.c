/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "tests/unit/support/unit.h"

#include "recorder/archive/sync-schedule.h"

static void test_schedule(void **state)
{
	struct sync_schedule s = {0};

	(void)state;
	assert_int_equal(sync_schedule_due_ns(&s), UINT64_MAX);
	sync_schedule_add(&s, 100, 50);
	assert_int_equal(sync_schedule_due_ns(&s), 150);
	sync_schedule_add(&s, 120, 50); /* the first one decides */
	assert_int_equal(sync_schedule_due_ns(&s), 150);
	sync_schedule_add(&s, 130, 0); /* one that may not wait */
	assert_int_equal(sync_schedule_due_ns(&s), 130);
	s = (struct sync_schedule){0};
	sync_schedule_add(&s, UINT64_MAX - 1, 50);
	assert_int_equal(sync_schedule_due_ns(&s), UINT64_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_schedule),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
