/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "web/history/history-plan.h"

#include "base/cleanup.h"

enum { DAY_S = 86400, GAP_INTERVALS = 2 };

/* Steps that are chosen if the client's is too short: up to a day they divide a day. */
static const uint32_t steps[] = {1, 2, 5, 10, 15, 20, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200,
	10800, 14400, 21600, 43200, DAY_S, 2 * DAY_S, 7 * DAY_S, 14 * DAY_S, 28 * DAY_S, 91 * DAY_S,
	182 * DAY_S, 364 * DAY_S, 728 * DAY_S, 3640 * DAY_S};

/* Returns the shortest step of the list that is at least MIN_S; the longest one if there is none. */
static uint32_t nice_step(uint64_t min_s)
{
	size_t i = 0;

	while (i + 1 < ARRAY_SIZE(steps) && steps[i] < min_s)
		i++;
	return steps[i];
}

/* Returns the shortest step of at least STEP_S that consists of whole slots of the ledger. */
static uint32_t whole_slots(uint32_t step_s)
{
	if (step_s <= DAY_S)
		return nice_step(step_s < HISTORY_LEDGER_STEP_S ? HISTORY_LEDGER_STEP_S : step_s);
	return step_s % DAY_S ? step_s - step_s % DAY_S + DAY_S : step_s;
}

static int64_t step_down(int64_t s, uint32_t step_s)
{
	return s - s % (int64_t)step_s;
}

static int64_t step_up(int64_t s, uint32_t step_s)
{
	return step_down(s + (int64_t)step_s - 1, step_s);
}

bool history_plan_has_gap(const struct ring_point *p, const struct ring_point *next)
{
	return next->realtime_ns - p->realtime_ns > GAP_INTERVALS * p->length_ns + NS_PER_SEC;
}

/* The points of the ring in the time of a query. */
struct points {
	size_t count, gaps;
	int64_t first_s;     /* seconds since the epoch */
	uint64_t first_ns;   /* the same */
	uint64_t longest_ns; /* the longest interval */
	/* Those of memtally-recorder, and the first one's time in seconds. */
	size_t recorded;
	int64_t recorded_s;
};

static struct points find_points(
	const struct history_query *q, const struct ring *ring, const struct ring *recorder)
{
	uint64_t from_ns = (uint64_t)q->from_s * NS_PER_SEC;
	uint64_t to_ns = ((uint64_t)q->to_s + 1) * NS_PER_SEC;
	const struct ring_point *last = NULL;
	struct points found = {.recorded = recorder->points};

	if (recorder->points)
		found.recorded_s = (int64_t)(recorder->point[0]->realtime_ns / NS_PER_SEC);
	for (size_t i = 0; i < ring->points; i++) {
		const struct ring_point *p = ring->point[i];

		if (p->realtime_ns < from_ns || p->realtime_ns >= to_ns)
			continue;
		if (!found.count++) {
			found.first_ns = p->realtime_ns;
			found.first_s = (int64_t)(p->realtime_ns / NS_PER_SEC);
		}
		found.gaps += last && history_plan_has_gap(last, p);
		if (p->length_ns > found.longest_ns)
			found.longest_ns = p->length_ns;
		last = p;
	}
	return found;
}

/* Returns whether both rings lack the beginning of the time of Q. */
static bool lacks_past(const struct history_query *q, const struct ring *ring,
	const struct ring *recorder, const struct points *found)
{
	const struct ring_point *first;

	if (!ring->points && !recorder->points)
		return true;
	first = recorder->points ? recorder->point[0] : ring->point[0];
	return first->realtime_ns >
	       (uint64_t)q->from_s * NS_PER_SEC +
	               (found->count || found->recorded ? GAP_INTERVALS * first->length_ns : 0);
}

/*
 * Sets the ring's part for steps of STEP_S. Points are not evenly spaced, so a step shorter than two
 * intervals would often be empty: such steps are the points themselves, or longer.
 */
static void plan_web(const struct history_query *q, const struct points *found, uint32_t step_s,
	struct history_plan *ret)
{
	uint64_t interval_s = (found->longest_ns + NS_PER_SEC - 1) / NS_PER_SEC;

	ret->web_from_ns = found->first_ns;
	ret->web_to_ns = ((uint64_t)q->to_s + 1) * NS_PER_SEC;
	ret->resolution_s = interval_s ? (uint32_t)interval_s : 1;
	ret->web_step_s = 0;
	if (!found->count)
		ret->web_from_ns = ret->web_to_ns;
	if (!found->count || step_s <= interval_s)
		return;
	ret->web_step_s = step_s < 2 * interval_s ? nice_step(2 * interval_s) : step_s;
	ret->resolution_s = ret->web_step_s;
	ret->web_from_ns = (uint64_t)step_down(found->first_s, ret->web_step_s) * NS_PER_SEC;
}

static uint64_t count_ledger(const struct history_plan *plan)
{
	if (plan->ledger_to_s <= plan->ledger_from_s)
		return 0;
	return (uint64_t)(plan->ledger_to_s - plan->ledger_from_s - 1) / plan->ledger_step_s + 1;
}

/*
 * Returns the end of the ledger's part if the ring's begins at FIRST_S: the last finest slot is one
 * of which the ring lacks at least half. Its mean says more of the time before FIRST_S than of the
 * time behind it.
 */
static int64_t history_plan_end(int64_t first_s)
{
	return step_down(first_s + (HISTORY_LEDGER_STEP_S - 1) / 2, HISTORY_LEDGER_STEP_S);
}

/*
 * Sets the ledger's part for steps of SLOTS_S, whole slots: those that begin before the ring's part.
 * If the ring follows and its steps are as long as slots, both parts have the same steps, and one of which the ring
 * lacks the beginning is the ledger's as a whole.
 */
static void plan_slots(const struct history_query *q, const struct points *found, uint32_t slots_s,
	struct history_plan *ret)
{
	bool is_followed = found->count || found->recorded;
	int64_t end_s = found->recorded ? found->recorded_s
	                : found->count  ? (int64_t)(ret->web_from_ns / NS_PER_SEC)
	                                : q->to_s;

	ret->ledger_end_s = is_followed ? history_plan_end(end_s) : INT64_MAX;
	if (found->count && !found->recorded && ret->web_step_s >= HISTORY_LEDGER_STEP_S) {
		end_s = step_up(found->first_s, slots_s);
		ret->web_step_s = ret->resolution_s = slots_s;
		ret->web_from_ns = (uint64_t)end_s * NS_PER_SEC;
		ret->ledger_end_s = end_s;
		if (ret->web_from_ns > ret->web_to_ns)
			ret->web_from_ns = ret->web_to_ns;
	}
	ret->ledger_from_s = step_down(q->from_s, slots_s);
	if (end_s > ret->ledger_end_s)
		end_s = ret->ledger_end_s;
	ret->ledger_to_s = end_s < q->to_s ? end_s : q->to_s;
	ret->ledger_step_s = slots_s;
}

/* Sets the ledger's part for steps of STEP_S, or longer ones if it would have too many points. */
static void plan_ledger(const struct history_query *q, const struct points *found, uint32_t step_s,
	struct history_plan *ret)
{
	uint32_t slots_s = whole_slots(step_s);

	plan_slots(q, found, slots_s, ret);
	while (count_ledger(ret) > HISTORY_LEDGER_POINTS_MAX) {
		slots_s = whole_slots(slots_s + 1);
		plan_slots(q, found, slots_s, ret);
	}
}

static uint64_t count_web(const struct history_plan *plan, const struct points *found)
{
	uint64_t step_ns = plan->web_step_s * NS_PER_SEC;

	if (!step_ns)
		return found->count + found->gaps;
	return (plan->web_to_ns - plan->web_from_ns) / step_ns + 1;
}

void history_plan_make(const struct history_query *q, const struct ring *ring,
	const struct ring *recorder, bool has_ledger, struct history_plan *ret)
{
	struct points found = find_points(q, ring, recorder);
	uint32_t step_s = q->step_s ? q->step_s : 1, longer_s;

	for (;;) {
		*ret = (struct history_plan){.lacks_past = lacks_past(q, ring, recorder, &found)};
		plan_web(q, &found, step_s, ret);
		if (has_ledger && ret->lacks_past)
			plan_ledger(q, &found, step_s, ret);
		longer_s = nice_step((uint64_t)step_s + 1);
		if (longer_s <= step_s ||
			count_ledger(ret) + found.recorded + count_web(ret, &found) <=
				HISTORY_POINTS_MAX)
			return;
		step_s = longer_s;
	}
}
