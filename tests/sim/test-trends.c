/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How well trend_judge() (trend/trend.h) tells leaks from healthy behaviour, on simulated processes
 * (trace.h). With MEMTALLY_LONG=1 there are ten times as many, and they are judged more often.
 */
#include "config.h"

#include "tests/unit/support/unit.h"

#include <math.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/number.h"
#include "tests/sim/spread.h"
#include "tests/sim/trace.h"
#include "tests/unit/support/extent.h"
#include "trend/trend.h"

enum { HOUR_S = 3600, DAY_S = 86400 };

/* The least growth that matters, in MiB. */
#define LEAST_MIB 4

static unsigned int count_traces(unsigned int quick)
{
	return extent_is_long() ? 10 * quick : unit_rounds(quick);
}

/* Returns the seed of trace INDEX of case NUMBER. MEMTALLY_SEED changes all of them. */
static uint64_t trace_seed(uint64_t number, uint64_t index)
{
	const char *text = getenv("MEMTALLY_SEED");
	uint64_t run = 0;

	if (text)
		assert_int_equal(number_parse_u64(text, strlen(text), &run), 0);
	return (run * 1000 + number) * 100000 + index;
}

/*
 * Follows T until UNTIL_S, which is later, and adds its memory to F: each sample, or one of each slot
 * if IS_SPARSE, as in old recordings.
 */
static void follow_trace(struct trace *t, struct floors *f, double until_s, bool is_sparse)
{
	while (t->now_s < until_s) {
		int64_t at_s = (int64_t)t->now_s;
		double value = trace_next(t);

		if (!is_sparse || at_s % FLOORS_SLOT_S == 0)
			assert_int_equal(floors_add(f, at_s, value), 0);
	}
}

static void print_false(const struct trace *t, const struct trend *found, uint64_t seed)
{
	print_message(
		"parts %x, seed %llu: after %.1f hours: since %.1f, %.1f MiB an hour (%.1f to "
		"%.1f), now %.0f MiB\n",
		t->parts, (unsigned long long)seed, t->now_s / HOUR_S,
		(double)found->since_s / HOUR_S, found->slope * HOUR_S, found->low * HOUR_S,
		found->high * HOUR_S, found->level);
}

enum { HEALTHY_DAYS = 7 };

/*
 * A healthy process of PARTS over a week, judged each STEP hours. Returns whether the verdict was
 * ever a leak. Adds to *WATCHED how often it was watched.
 */
static bool is_blamed(
	struct trend_judge *j, unsigned int parts, uint64_t seed, unsigned int *watched, int step)
{
	struct floors f = {0};
	bool is_blamed = false;
	struct trace t;

	trace_init(&t, parts, seed);
	for (int hour = step; hour <= HEALTHY_DAYS * 24; hour += step) {
		struct trend found;

		follow_trace(&t, &f, (double)hour * HOUR_S, seed % 2);
		if (trend_judge(j, f.item, f.count, 0, LEAST_MIB, &found) != 0)
			continue;
		*watched += found.verdict == TREND_WATCH;
		if (found.verdict == TREND_LEAK && !is_blamed)
			print_false(&t, &found, seed);
		is_blamed |= found.verdict == TREND_LEAK;
	}
	floors_done(&f);
	return is_blamed;
}

static const unsigned int mixtures[] = {
	0,
	TRACE_SAWTOOTH,
	TRACE_CACHE,
	TRACE_WAVE,
	TRACE_BURSTS,
	TRACE_RESTARTS,
	TRACE_SAWTOOTH | TRACE_CACHE,
	TRACE_SAWTOOTH | TRACE_WAVE,
	TRACE_SAWTOOTH | TRACE_RESTARTS,
	TRACE_CACHE | TRACE_WAVE,
	TRACE_CACHE | TRACE_BURSTS,
	TRACE_CACHE | TRACE_RESTARTS,
	TRACE_WAVE | TRACE_BURSTS,
	TRACE_WAVE | TRACE_RESTARTS,
	TRACE_SAWTOOTH | TRACE_CACHE | TRACE_WAVE,
	TRACE_ALL,
};

/* 16 mixtures of 9 processes over 7 days are 1,008 process-days. */
static void healthy_processes_are_not_blamed(void **state)
{
	struct trend_judge *j = trend_judge_new();
	unsigned int blamed = 0, all = 0;
	const int step = extent_is_long() ? 1 : 2;

	(void)state;
	assert_non_null(j);
	for (size_t i = 0; i < ARRAY_SIZE(mixtures); i++) {
		unsigned int traces = count_traces(9), here = 0, watched = 0;

		for (unsigned int k = 0; k < traces; k++)
			here += is_blamed(j, mixtures[i], trace_seed(i, k), &watched, step);
		print_message("parts %x: %u of %u processes are blamed; watched %.1f %% of the "
			      "time\n",
			mixtures[i], here, traces,
			100.0 * watched * step / (traces * HEALTHY_DAYS * 24));
		blamed += here;
		all += traces;
	}
	print_message("%u process-days; with 99 %% confidence at most %.2g of 1,000 processes are "
		      "blamed in a week\n",
		all * HEALTHY_DAYS, 1000 * spread_upper_part(blamed, all));
	trend_judge_free(j);
	assert_int_equal(blamed, 0);
}

/* A leak in a process of .parts, and the part of such leaks that is found within .hours. */
struct leak {
	unsigned int parts;
	double rate, history_h; /* percent an hour, hours */
	double hours, part;
};

/*
 * Returns how many hours after its beginning the leak L is found; infinite: not within its hours, or
 * three days in long runs. Its rate is a part of the memory without wave and sawtooth.
 */
static double find_leak(struct trend_judge *j, const struct leak *l, uint64_t seed)
{
	double until_s = extent_is_long() ? 3 * DAY_S : l->hours * HOUR_S;
	double step_s = extent_is_long() || l->hours <= 6 ? HOUR_S / 4 : HOUR_S;
	struct floors f = {0};
	double hours = HUGE_VAL;
	struct trace t;

	trace_init(&t, l->parts, seed);
	t.leak = (t.base + (l->parts & TRACE_CACHE ? t.cache : 0)) * l->rate / 100;
	t.leak_from_s = l->history_h * HOUR_S;
	follow_trace(&t, &f, t.leak_from_s + HOUR_S, seed % 2);
	while (hours == HUGE_VAL && t.now_s < t.leak_from_s + until_s) {
		struct trend found;

		follow_trace(&t, &f, t.now_s + step_s, seed % 2);
		if (trend_judge(j, f.item, f.count, 0, LEAST_MIB, &found) == 0 &&
			found.verdict == TREND_LEAK)
			hours = (t.now_s - t.leak_from_s) / HOUR_S;
	}
	floors_done(&f);
	return hours;
}

static void leaks_are_found(void **state)
{
	static const struct leak leaks[] = {
		{0, 2, 30, 6, 0.65},
		{0, 2, 78, 6, 0.65},
		{0, 5, 30, 6, 0.95},
		{TRACE_CACHE, 2, 40, 24, 0.3},
		{TRACE_SAWTOOTH, 2, 30, 48, 0.5},
		{TRACE_WAVE, 2, 48, 72, 0.15},
		{TRACE_BURSTS, 2, 48, 24, 0.4},
		{0, 2, 0, 26, 0.8},
	};
	struct trend_judge *j = trend_judge_new();
	unsigned int failures = 0;

	(void)state;
	assert_non_null(j);
	for (size_t i = 0; i < ARRAY_SIZE(leaks); i++) {
		const struct leak *l = &leaks[i];
		unsigned int traces = count_traces(40), in_time = 0;
		struct spread hours = {0};

		for (unsigned int k = 0; k < traces; k++) {
			double found = find_leak(j, l, trace_seed(100 + i, k));

			in_time += found <= l->hours;
			spread_add(&hours, found);
		}
		print_message("parts %x, %g %% an hour after %g hours: %u of %u within %g hours; "
			      "median %.1f, p90 %.1f\n",
			l->parts, l->rate, l->history_h, in_time, traces, l->hours,
			spread_quantile(&hours, 0.5), spread_quantile(&hours, 0.9));
		failures += in_time < l->part * traces;
	}
	trend_judge_free(j);
	assert_int_equal(failures, 0);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(healthy_processes_are_not_blamed),
		cmocka_unit_test(leaks_are_found),
	};

	if (argc > 1)
		cmocka_set_test_filter(argv[1]);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
