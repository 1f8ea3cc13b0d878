/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of recorder/series.h: steps and points. tests/unit/recorder/test-past-server has series. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include "base/clock.h"
#include "recorder/series.h"

static void moves_into_the_covered_time(void **state)
{
	static const struct {
		uint64_t from, until, found_from, found_until;
	} cases[] = {
		{0, UINT64_MAX, 100, 200},
		{120, 130, 120, 130},
		{0, 150, 100, 150},
		{150, 900, 150, 200},
		{0, 50, 100, 100},
		{300, 400, 300, 300},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		uint64_t from = cases[i].from, until = cases[i].until;

		series_clamp(100, 200, &from, &until);
		assert_int_equal(from, cases[i].found_from);
		assert_int_equal(until, cases[i].found_until);
	}
}

/* Whatever the time, it has no more spans than points are allowed. */
static void steps_bound_the_points(void **state)
{
	static const uint64_t lengths[] = {0, 1, 998, 999, 1000, 3600 * NS_PER_SEC,
		3600 * NS_PER_SEC + 1, 366 * 86400 * NS_PER_SEC, PAST_TIME_MAX_NS};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(lengths); i++)
		for (uint64_t from = 0; from < 4000000; from += 999983) {
			uint64_t until = from + lengths[i], step = series_step_ns(from, until, 0);

			assert_true(step > 0);
			assert_true(until / step - from / step + 1 <= PAST_POINTS_MAX);
			/* It is not longer than that takes. */
			assert_true(step <= lengths[i] / (PAST_POINTS_MAX - 1) + 1);
			assert_int_equal(series_step_ns(from, until, step + 7), step + 7);
		}
}

static void points_ascend_and_are_bounded(void **state)
{
	static struct past_point points[PAST_POINTS_MAX];
	uint32_t count = 0;

	(void)state;
	series_add(points, &count, &(struct past_point){.at_ns = 0});
	assert_int_equal(count, 0);
	for (uint64_t at = 1; at < 2 * PAST_POINTS_MAX; at++) {
		series_add(points, &count, &(struct past_point){.at_ns = at});
		series_add(points, &count, &(struct past_point){.at_ns = at});
		series_add(points, &count, &(struct past_point){.at_ns = at - 1});
		assert_int_equal(count, at < PAST_POINTS_MAX ? at : PAST_POINTS_MAX);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(moves_into_the_covered_time),
		cmocka_unit_test(steps_bound_the_points),
		cmocka_unit_test(points_ascend_and_are_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
