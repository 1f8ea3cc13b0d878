/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of trend/trend.h: each rule alone. tests/sim/test-trends has realistic series. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include <math.h>

#include "base/cleanup.h"
#include "tests/unit/trend/near.h"
#include "trend/trend.h"

enum { HOUR_S = 3600, SLOTS_AN_HOUR = HOUR_S / FLOORS_SLOT_S, BEGIN_S = 1000000 * FLOORS_SLOT_S };

#define MIB 1048576.0

/* A series, in hours since its first floor, and its floors. */
struct series {
	struct trend_floor floor[FLOORS_MAX];
	size_t count;
	uint64_t random;
};

typedef double series_value(double hour);

/* Adds floors with VALUE, in MiB, up to hour UNTIL, with noise of up to 1 %. */
static void add_until(struct series *s, double until, series_value *value)
{
	for (;;) {
		double hour = s->count ? (double)(s->floor[s->count - 1].at_s - BEGIN_S) / HOUR_S +
		                                 1.0 / SLOTS_AN_HOUR
		                       : 0;
		double noise = (double)(unit_random(&s->random) % 1000) / 1e5;

		if (hour >= until - 0.01 || s->count == FLOORS_MAX)
			break;
		s->floor[s->count++] = (struct trend_floor){
			.at_s = BEGIN_S + (int64_t)(hour * SLOTS_AN_HOUR + 0.5) * FLOORS_SLOT_S,
			.value = value(hour) * (1 + noise) * MIB};
	}
}

static int judge(const struct series *s, int64_t start_s, struct trend *ret)
{
	struct trend_judge *j = trend_judge_new();
	int r;

	assert_non_null(j);
	r = trend_judge(j, s->floor, s->count, start_s, MIB, ret);
	trend_judge_free(j);
	return r;
}

/* Judges floors with VALUE up to hour UNTIL. */
static int judge_until(double until, series_value *value, struct trend *ret)
{
	struct series s = {.random = 3};

	add_until(&s, until, value);
	return judge(&s, 0, ret);
}

static double level(double hour)
{
	(void)hour;
	return 1000;
}

/* 2 % an hour after 36 hours. */
static double late_leak(double hour)
{
	return hour < 36 ? 1000 : 1000 + 20 * (hour - 36);
}

static double early_leak(double hour)
{
	return 1000 + 20 * hour;
}

static double falling(double hour)
{
	return 2000 - 15 * hour;
}

/* From 200 to 1800 MiB; the trough is at the beginning. */
static double wave(double hour)
{
	return 1000 - 800 * cos(2 * M_PI * hour / 24);
}

/* Each peak is 2 % higher than that of the day before. */
static double higher_wave(double hour)
{
	return wave(hour) * (1 + 0.02 * floor(hour / 24));
}

static double cache(double hour)
{
	return 200 + 5000 * (1 - exp(-hour / 5));
}

static double step(double hour)
{
	return hour < 33 ? 1000 : 2000;
}

/* It levels off so slowly that it rises steadily through four parts of a day, not through eight. */
static double slow_cache(double hour)
{
	return 200 + 5000 * (1 - exp(-hour / 14));
}

static double ended(double hour)
{
	return hour < 30 ? 1000 : hour < 40 ? 1000 + 50 * (hour - 30) : 1500;
}

static double slow_leak(double hour)
{
	return 100 + 0.5 * hour;
}

static void a_level_is_no_growth(void **state)
{
	struct trend t;

	(void)state;
	assert_int_equal(judge_until(48, level, &t), 0);
	assert_int_equal(t.verdict, TREND_NONE);
	assert_int_equal(t.begin_s, BEGIN_S + TREND_WARM_UP_S);
	assert_in_range((uint64_t)(t.level / MIB), 1000, 1010);
}

/* Until growth is beyond all that was seen before, it is watched. */
static void a_leak_is_found_within_six_hours(void **state)
{
	struct trend t;

	(void)state;
	assert_int_equal(judge_until(36, late_leak, &t), 0);
	assert_int_equal(t.verdict, TREND_NONE);
	assert_int_equal(judge_until(42, late_leak, &t), 0);
	assert_int_equal(t.verdict, TREND_LEAK);
	assert_in_range((uint64_t)(t.slope * HOUR_S / MIB), 18, 22);
	assert_true(t.low < t.slope && t.slope < t.high);
	assert_true(t.low * HOUR_S / MIB > 16 && t.high * HOUR_S / MIB < 24);
	assert_in_range((uint64_t)t.since_s, BEGIN_S + 35 * HOUR_S, BEGIN_S + 37 * HOUR_S);
	assert_in_range((uint64_t)(t.level / MIB), 1100, 1130);
}

/* Without a day of history, a daily wave or a cache could grow so for most of a day. */
static void a_new_process_is_watched_first(void **state)
{
	struct trend t;

	(void)state;
	assert_int_equal(judge_until(8, early_leak, &t), 0);
	assert_int_equal(t.verdict, TREND_WATCH);
	assert_int_equal(judge_until(24.5, early_leak, &t), 0);
	assert_int_equal(t.verdict, TREND_WATCH);
	assert_int_equal(judge_until(26, early_leak, &t), 0);
	assert_int_equal(t.verdict, TREND_LEAK);
	assert_in_range((uint64_t)t.since_s, BEGIN_S, BEGIN_S + 3 * HOUR_S);
}

static void healthy_growth_is_no_leak(void **state)
{
	static series_value *const healthy[] = {wave, cache, falling, step};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(healthy); i++)
		for (int half = 13; half < 160; half++) {
			double until = half / 2.0;
			struct trend t;

			assert_int_equal(judge_until(until, healthy[i], &t), 0);
			assert_int_not_equal(t.verdict, TREND_LEAK);
		}
}

static void growth_within_history_is_none(void **state)
{
	static series_value *const waves[] = {wave, higher_wave};
	struct trend t;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(waves); i++)
		for (int half = 100; half < 160; half++) {
			double until = half / 2.0;

			assert_int_equal(judge_until(until, waves[i], &t), 0);
			assert_int_equal(t.verdict, TREND_NONE);
		}
}

static void a_slow_cache_is_watched(void **state)
{
	struct trend t;

	(void)state;
	assert_int_equal(judge_until(25.5, slow_cache, &t), 0);
	assert_int_equal(t.verdict, TREND_WATCH);
}

/* Long windows still rise for the most part. */
static void growth_that_has_ended_is_none(void **state)
{
	struct trend t;

	(void)state;
	assert_int_equal(judge_until(40, ended, &t), 0);
	assert_int_equal(t.verdict, TREND_LEAK);
	for (int half = 90; half < 160; half++) {
		double until = half / 2.0;

		assert_int_equal(judge_until(until, ended, &t), 0);
		assert_int_equal(t.verdict, TREND_NONE);
	}
}

/* A step is no steady growth, however high it is. */
static void a_step_is_not_watched(void **state)
{
	struct trend t;

	(void)state;
	for (int half = 66; half < 96; half++) {
		double until = half / 2.0;

		assert_int_equal(judge_until(until, step, &t), 0);
		assert_int_equal(t.verdict, TREND_NONE);
	}
}

/* 0.5 MiB an hour is 2.5 MiB in 5 hours, and 2.5 %. */
static void small_growth_does_not_matter(void **state)
{
	struct trend t;

	(void)state;
	assert_int_equal(judge_until(8, slow_leak, &t), 0);
	assert_int_equal(t.verdict, TREND_NONE);
	assert_int_equal(judge_until(80, slow_leak, &t), 0);
	assert_int_equal(t.verdict, TREND_LEAK);
}

static void growth_below_the_least_does_not_matter(void **state)
{
	struct trend_judge *j = trend_judge_new();
	struct series s = {.random = 3};
	struct trend t;

	(void)state;
	add_until(&s, 42, late_leak);
	assert_non_null(j);
	assert_int_equal(trend_judge(j, s.floor, s.count, 0, 90 * MIB, &t), 0);
	assert_int_equal(t.verdict, TREND_LEAK);
	assert_int_equal(trend_judge(j, s.floor, s.count, 0, 1000 * MIB, &t), 0);
	assert_int_equal(t.verdict, TREND_NONE);
	trend_judge_free(j);
}

static void a_start_has_a_warm_up(void **state)
{
	struct series s = {.random = 3};
	struct trend t;

	(void)state;
	add_until(&s, 5.5, level);
	assert_int_equal(judge(&s, 0, &t), TREND_TOO_SHORT);
	assert_int_equal(judge(&s, BEGIN_S + 60, &t), TREND_TOO_SHORT);
	/* It was older when the series began: half of its warm-up was over, or all. */
	assert_int_equal(judge(&s, BEGIN_S - HOUR_S / 2, &t), 0);
	assert_int_equal(t.begin_s, BEGIN_S + HOUR_S / 2);
	assert_int_equal(judge(&s, BEGIN_S - 50 * HOUR_S, &t), 0);
	assert_int_equal(t.begin_s, BEGIN_S);
}

static double restarting(double hour)
{
	return hour < 30 ? 1000 + 20 * hour : 200 + 20 * (hour - 30);
}

/* Floors before a restart count neither as history nor as growth. */
static void a_restart_begins_anew(void **state)
{
	struct series s = {.random = 3};
	struct trend t;

	(void)state;
	add_until(&s, 35, restarting);
	assert_int_equal(judge(&s, 0, &t), TREND_TOO_SHORT);
	add_until(&s, 40, restarting);
	assert_int_equal(judge(&s, 0, &t), 0);
	assert_int_equal(t.begin_s, BEGIN_S + 31 * HOUR_S);
	assert_int_equal(t.verdict, TREND_WATCH);
}

static double burst(double hour)
{
	return hour > 20 && hour < 22 ? 3000 : 1000;
}

/* A burst ends at a level that was there before. */
static void the_end_of_a_burst_is_no_restart(void **state)
{
	struct trend t;

	(void)state;
	assert_int_equal(judge_until(40, burst, &t), 0);
	assert_int_equal(t.begin_s, BEGIN_S + TREND_WARM_UP_S);
	assert_int_equal(t.verdict, TREND_NONE);
}

static void a_gap_begins_anew(void **state)
{
	struct series s = {.random = 3};
	size_t from = 30 * SLOTS_AN_HOUR;
	struct trend t;

	(void)state;
	add_until(&s, 40, level);
	for (size_t i = from; i < s.count; i++)
		s.floor[i].at_s += 2 * HOUR_S;
	assert_int_equal(judge(&s, 0, &t), 0);
	assert_int_equal(t.begin_s, s.floor[from + SLOTS_AN_HOUR].at_s);
}

/* Every other slot is absent, then three of four are there. */
static void gaps_leave_no_verdict(void **state)
{
	struct series s = {.random = 3}, half = {0}, most = {0};
	struct trend t;

	(void)state;
	add_until(&s, 48, level);
	for (size_t i = 0; i < s.count; i++) {
		if (i % 2 == 0)
			half.floor[half.count++] = s.floor[i];
		if (i % 5 != 1)
			most.floor[most.count++] = s.floor[i];
	}
	assert_int_equal(judge(&half, 0, &t), TREND_TOO_SHORT);
	assert_int_equal(judge(&most, 0, &t), 0);
}

static void an_empty_series_is_too_short(void **state)
{
	struct series s = {0};
	struct trend t;

	(void)state;
	assert_int_equal(judge(&s, 0, &t), TREND_TOO_SHORT);
	add_until(&s, 1.0 / SLOTS_AN_HOUR, level);
	assert_int_equal(judge(&s, 0, &t), TREND_TOO_SHORT);
	assert_int_equal(judge(&s, BEGIN_S + 999 * HOUR_S, &t), TREND_TOO_SHORT);
}

static void tells_the_time_until_a_limit(void **state)
{
	struct trend t = {.verdict = TREND_WATCH, .slope = 2};
	double s = -1;

	(void)state;
	assert_true(trend_time_until(&t, 100, &s));
	near_assert(s, 50, 0);
	assert_true(trend_time_until(&t, 0, &s));
	near_assert(s, 0, 0);
	assert_false(trend_time_until(&t, -1, &s));
	t.verdict = TREND_NONE;
	assert_false(trend_time_until(&t, 100, &s));
}

static void verdicts_have_names(void **state)
{
	(void)state;
	assert_string_equal(trend_name(TREND_NONE), "none");
	assert_string_equal(trend_name(TREND_WATCH), "watch");
	assert_string_equal(trend_name(TREND_LEAK), "consistent with a leak");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_level_is_no_growth),
		cmocka_unit_test(a_leak_is_found_within_six_hours),
		cmocka_unit_test(a_new_process_is_watched_first),
		cmocka_unit_test(healthy_growth_is_no_leak),
		cmocka_unit_test(growth_within_history_is_none),
		cmocka_unit_test(a_slow_cache_is_watched),
		cmocka_unit_test(growth_that_has_ended_is_none),
		cmocka_unit_test(a_step_is_not_watched),
		cmocka_unit_test(small_growth_does_not_matter),
		cmocka_unit_test(growth_below_the_least_does_not_matter),
		cmocka_unit_test(a_start_has_a_warm_up),
		cmocka_unit_test(a_restart_begins_anew),
		cmocka_unit_test(the_end_of_a_burst_is_no_restart),
		cmocka_unit_test(a_gap_begins_anew),
		cmocka_unit_test(gaps_leave_no_verdict),
		cmocka_unit_test(an_empty_series_is_too_short),
		cmocka_unit_test(tells_the_time_until_a_limit),
		cmocka_unit_test(verdicts_have_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
