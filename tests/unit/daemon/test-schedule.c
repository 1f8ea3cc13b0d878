/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of daemon/schedule.h: when passes begin. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include "base/clock.h"
#include "daemon/schedule.h"

#define S NS_PER_SEC

static void keeps_to_the_grid(void **state)
{
	struct schedule s;

	(void)state;
	schedule_init(&s, 100 * S);
	assert_int_equal(schedule_next(&s, 10 * S, 100 * S, 101 * S, 0), 110 * S);
	/* A late start does not move the grid. */
	assert_int_equal(schedule_next(&s, 10 * S, 110 * S + S / 3, 111 * S, 0), 120 * S);
}

static void delay_is_random_and_small(void **state)
{
	uint64_t seed = 5;

	(void)state;
	for (unsigned int i = 0; i < 1000; i++) {
		struct schedule s;
		uint64_t next;

		schedule_init(&s, 0);
		next = schedule_next(&s, 10 * S, 0, S, (uint32_t)unit_random(&seed));
		assert_in_range(next, 10 * S, 10 * S + S / 2);
	}
}

static void skips_missed_passes(void **state)
{
	struct schedule s;

	(void)state;
	schedule_init(&s, 0);
	assert_int_equal(schedule_next(&s, 10 * S, 0, 25 * S, 0), 30 * S);
	/* The pause is at least a tenth of the pass's length. */
	assert_int_equal(schedule_next(&s, 10 * S, 30 * S, 59 * S, 0), 59 * S + 29 * S / 10);
}

/* A pass that was delayed by 22 minutes is followed by the next one within an interval. */
static void a_late_pass_is_followed_within_one_interval(void **state)
{
	uint64_t seed = 7;

	(void)state;
	for (unsigned int i = 0; i < 1000; i++) {
		uint64_t end_ns = 11 * S + unit_random(&seed) % (22 * 60 * S), next_ns;
		struct schedule s;

		schedule_init(&s, 0);
		next_ns = schedule_next(&s, 10 * S, 0, end_ns, (uint32_t)unit_random(&seed));
		assert_in_range(next_ns, end_ns, end_ns + 10 * S);
		/* The grid continues from there. */
		end_ns = next_ns + S;
		next_ns = schedule_next(&s, 10 * S, next_ns, end_ns, 0);
		assert_in_range(next_ns, end_ns, end_ns + 10 * S);
	}
}

static void interval_can_be_changed(void **state)
{
	struct schedule s;

	(void)state;
	schedule_init(&s, 0);
	assert_int_equal(schedule_next(&s, 3600 * S, 0, S, 0), 3600 * S);
	/* A shorter interval counts at once, for the next pass and the following ones. */
	assert_int_equal(schedule_bring_forward(&s, 2 * S, 10 * S), 12 * S);
	assert_int_equal(schedule_next(&s, 2 * S, 12 * S, 12 * S, 0), 14 * S);
	/* A longer one does not delay a pass that is due. */
	assert_int_equal(schedule_bring_forward(&s, 60 * S, 13 * S), 14 * S);
	assert_int_equal(schedule_next(&s, 60 * S, 14 * S, 14 * S, 0), 74 * S);
}

/*
 * With a stretched interval passes follow the stretched grid. A change of the interval does not
 * start a pass at once.
 */
static void interval_can_be_stretched(void **state)
{
	struct schedule s;

	(void)state;
	schedule_init(&s, 100 * S);
	assert_int_equal(schedule_next(&s, 40 * S, 100 * S, 101 * S, 0), 140 * S);
	assert_int_equal(schedule_bring_forward(&s, 40 * S, 130 * S), 140 * S);
	assert_int_equal(schedule_next(&s, 10 * S, 140 * S, 141 * S, 0), 150 * S);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(keeps_to_the_grid),
		cmocka_unit_test(delay_is_random_and_small),
		cmocka_unit_test(skips_missed_passes),
		cmocka_unit_test(a_late_pass_is_followed_within_one_interval),
		cmocka_unit_test(interval_can_be_changed),
		cmocka_unit_test(interval_can_be_stretched),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
