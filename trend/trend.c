/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "trend/trend.h"

#include <math.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "trend/hinge.h"
#include "trend/mann-kendall.h"
#include "trend/order.h"
#include "trend/theil-sen.h"

enum {
	HOUR_S = 3600,
	WINDOW_MOST = 288,  /* floors of a window: more are coarsened */
	GAP_S = 2 * HOUR_S, /* without a floor: what was before is of another run */
	DROP_SPAN_S = 2 * HOUR_S,
	WEEKEND_S = 72 * HOUR_S, /* so long a history has a working day */
	PARTS_MOST = 8,
	LONG_S = 14 * HOUR_S, /* a quarter of a window is too long to see that growth has ended */
};

/* A restart: floors fall below this part of all floors of DROP_SPAN_S. */
#define DROP_PART 0.7

/* Growth is significant if chance gives it in less than one of 2,000 series: z of Mann-Kendall. */
#define Z_LEAST 3.29

/* The least growth within a window, as a part of the level. */
#define GROWTH_LEAST 0.04

/* A window needs floors in this part of its slots. */
#define COVERED_LEAST 0.75

/* The windows that are judged, in hours. Each one ends at the last floor. */
static const int windows_h[] = {5, 7, 10, 14, 19, 24, 36, 48, 72};

struct trend_judge {
	struct trend_floor floor[WINDOW_MOST]; /* of a window, coarsened */
	double slope[THEIL_SEN_PAIRS(WINDOW_MOST)];
	double room[FLOORS_MAX];
};

/* The floors of a series since its start. */
struct run {
	const struct trend_floor *floor;
	size_t count;
};

struct window {
	size_t first; /* in the run */
	int64_t span_s;
	double slope, low, high;
};

struct trend_judge *trend_judge_new(void)
{
	return malloc(sizeof(struct trend_judge));
}

struct trend_judge *trend_judge_free(struct trend_judge *j)
{
	free(j);
	return NULL;
}

/* Returns the median of COUNT floors, not 0. */
static double trend_median(struct trend_judge *j, const struct trend_floor *floor, size_t count)
{
	for (size_t i = 0; i < count; i++)
		j->room[i] = floor[i].value;
	return order_median(j->room, count);
}

/* Returns the value below which PART of COUNT floors are; COUNT is not 0. */
static double trend_quantile(
	struct trend_judge *j, const struct trend_floor *floor, size_t count, double part)
{
	for (size_t i = 0; i < count; i++)
		j->room[i] = floor[i].value;
	return order_quantile(j->room, count, part);
}

/* Returns whether floor AT, and the next one, are far below all of the hours before it. */
static bool is_restart(const struct trend_floor *floor, size_t count, size_t at)
{
	double limit = HUGE_VAL;
	double value = floor[at].value;

	if (at + 1 < count && floor[at + 1].value > value)
		value = floor[at + 1].value;
	for (size_t i = at; i > 0 && floor[at].at_s - floor[i - 1].at_s <= DROP_SPAN_S; i--) {
		if (floor[i - 1].value < limit)
			limit = floor[i - 1].value;
		if (value >= DROP_PART * limit)
			return false;
	}
	return true;
}

/*
 * Returns the run at the end of FLOOR. It begins after the last gap, the last restart or START_S,
 * and without its warm-up. A process that was older than the first floor has no warm-up.
 */
static struct run last_run(const struct trend_floor *floor, size_t count, int64_t start_s)
{
	size_t first = 0;
	int64_t warm_s;

	for (size_t i = count; i-- > 1 && !first;)
		if (floor[i].at_s - floor[i - 1].at_s > GAP_S || is_restart(floor, count, i))
			first = i;
	while (first < count && floor[first].at_s < start_s)
		first++;
	warm_s = first < count ? floor[first].at_s : 0;
	if (first == 0 && start_s > 0 && start_s < warm_s)
		warm_s = start_s;
	while (first < count && floor[first].at_s < warm_s + TREND_WARM_UP_S)
		first++;
	return (struct run){.floor = floor + first, .count = count - first};
}

/*
 * Returns whether the COUNT floors FLOOR rise steadily: the medians of PARTS equal parts rise, each
 * by LEAST of their mean rise or more.
 */
static bool rises_steadily(struct trend_judge *j, const struct trend_floor *floor, size_t count,
	size_t parts, double least)
{
	double median[PARTS_MOST] = {0}, mean;

	for (size_t i = 0; i < parts; i++) {
		size_t from = i * count / parts, to = (i + 1) * count / parts;

		median[i] = trend_median(j, floor + from, to - from);
	}
	mean = (median[parts - 1] - median[0]) / (double)(parts - 1);
	if (mean <= 0)
		return false;
	for (size_t i = 1; i < parts; i++)
		if (median[i] - median[i - 1] < least * mean)
			return false;
	return true;
}

/*
 * Returns whether the COUNT floors FLOOR rise to their end: the median of the last eighth is above
 * the one before it by a quarter of the mean rise at least.
 */
static bool rises_still(struct trend_judge *j, const struct trend_floor *floor, size_t count)
{
	size_t eighth = count / PARTS_MOST;
	const struct trend_floor *last = floor + count - eighth;
	double first_median = trend_median(j, floor, eighth);
	double median = trend_median(j, last, eighth);
	double mean = (median - first_median) / (PARTS_MOST - 1);

	return median - trend_median(j, last - eighth, eighth) >= mean / 4;
}

/*
 * Gives in *RET the window of the last SPAN_S of R. Returns whether R is that long and has floors in
 * most slots of it.
 */
static bool take_window(const struct run *r, int64_t span_s, struct window *ret)
{
	int64_t from_s = r->floor[r->count - 1].at_s - span_s + FLOORS_SLOT_S;
	size_t first = r->count;
	int64_t slots;

	if (r->floor[0].at_s > from_s)
		return false;
	while (first > 0 && r->floor[first - 1].at_s >= from_s)
		first--;
	*ret = (struct window){.first = first, .span_s = span_s};
	slots = span_s / FLOORS_SLOT_S;
	return (double)(r->count - first) >= COVERED_LEAST * (double)slots;
}

/*
 * Returns whether R grows in the window W: steadily, by an amount that matters, and more than chance
 * explains. Sets the slope of W.
 */
static bool grows_in(struct trend_judge *j, const struct run *r, double least, struct window *w)
{
	const struct trend_floor *floor = r->floor + w->first;
	size_t count = r->count - w->first, coarse;
	struct mann_kendall test;
	double growth, level;

	if (!rises_steadily(j, floor, count, 4, 0.4))
		return false;
	if (w->span_s >= LONG_S && !rises_still(j, floor, count))
		return false;
	level = trend_median(j, floor, count);
	coarse = floors_coarsen(floor, count, WINDOW_MOST, j->floor);
	w->slope = theil_sen_slope(j->floor, coarse, j->slope);
	growth = w->slope * (double)w->span_s;
	if (growth < least || growth < GROWTH_LEAST * level)
		return false;
	mann_kendall_test(j->floor, coarse, w->slope, j->room, &test);
	theil_sen_bounds(j->slope, coarse, test.variance, &w->low, &w->high);
	return test.z >= Z_LEAST && w->low > 0;
}

/*
 * Returns the verdict on R, which grows in window W and showed a day at least before it. It is a
 * leak if the last quarter is beyond what was seen before by a margin, a multiple of half of that
 * range. The margin is larger if R is younger than three days: that may have been a weekend, on
 * which a daily wave is lower. It is watched if the last quarter is above all that was seen before,
 * by LEAST and GROWTH_LEAST: the peaks of two days differ.
 */
static enum trend_verdict compare_with_history(
	struct trend_judge *j, const struct run *r, double least, const struct window *w)
{
	size_t quarter = (r->count - w->first) / 4;
	const struct trend_floor *last = r->floor + r->count - quarter;
	double low = trend_quantile(j, r->floor, w->first, 0.05);
	double high = trend_quantile(j, r->floor, w->first, 0.95);
	bool has_workday = r->floor[w->first].at_s - r->floor[0].at_s >= WEEKEND_S;
	double margin = (has_workday ? 3 : 4) * (high - low) / 2;
	double highest, excess;

	if (trend_quantile(j, last, quarter, 0.25) > high + margin &&
		trend_median(j, last - quarter, quarter) > high)
		return TREND_LEAK;
	highest = trend_quantile(j, r->floor, w->first, 1);
	excess = trend_median(j, last, quarter) - highest;
	return excess >= least && excess >= GROWTH_LEAST * highest ? TREND_WATCH : TREND_NONE;
}

/* Returns the verdict on R, which grows in window W. */
static enum trend_verdict judge_growth(
	struct trend_judge *j, const struct run *r, double least, const struct window *w)
{
	if (r->floor[w->first].at_s - r->floor[0].at_s >= TREND_HISTORY_S)
		return compare_with_history(j, r, least, w);
	if (w->span_s >= TREND_UNKNOWN_S &&
		rises_steadily(j, r->floor + w->first, r->count - w->first, PARTS_MOST, 0.6))
		return TREND_LEAK;
	return TREND_WATCH;
}

static int64_t find_since(struct trend_judge *j, const struct run *r)
{
	return hinge_find(j->floor, floors_coarsen(r->floor, r->count, WINDOW_MOST, j->floor));
}

int trend_judge(struct trend_judge *j, const struct trend_floor *floor, size_t count,
	int64_t start_s, double least, struct trend *ret)
{
	struct run r = last_run(floor, count, start_s);
	struct trend t = {0};
	bool is_judged = false;
	size_t hour = HOUR_S / FLOORS_SLOT_S;

	for (size_t i = 0; r.count && i < ARRAY_SIZE(windows_h); i++) {
		enum trend_verdict verdict;
		struct window w;

		if (!take_window(&r, (int64_t)windows_h[i] * HOUR_S, &w))
			continue;
		is_judged = true;
		if (!grows_in(j, &r, least, &w))
			continue;
		verdict = judge_growth(j, &r, least, &w);
		if (verdict == TREND_NONE || verdict < t.verdict)
			continue;
		t.verdict = verdict;
		t.slope = w.slope;
		t.low = w.low;
		t.high = w.high;
	}
	if (!is_judged)
		return TREND_TOO_SHORT;
	t.begin_s = r.floor[0].at_s;
	hour = hour < r.count ? hour : r.count;
	t.level = trend_median(j, r.floor + r.count - hour, hour);
	if (t.verdict != TREND_NONE)
		t.since_s = find_since(j, &r);
	*ret = t;
	return 0;
}

const char *trend_name(enum trend_verdict verdict)
{
	static const char *const names[TREND_VERDICTS] = {
		[TREND_NONE] = "none",
		[TREND_WATCH] = "watch",
		[TREND_LEAK] = "consistent with a leak",
	};

	return names[verdict];
}

bool trend_time_until(const struct trend *t, double room, double *ret_s)
{
	if (t->verdict == TREND_NONE || t->slope <= 0 || room < 0)
		return false;
	*ret_s = room / t->slope;
	return true;
}
