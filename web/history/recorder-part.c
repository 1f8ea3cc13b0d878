/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "web/history/recorder-part.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/saturate.h"
#include "snapshot/owner.h"

#define BYTES_MAX ((size_t)16 << 20) /* of the points */

/* The first point of the ring is that of the recorder, too, if it is not later by more. */
enum { NEAR_INTERVALS = 2 };

/* How far apart the snapshots of older time are: memtally-recorder keeps one in so long. */
static const uint64_t sparse_ns[] = {60 * NS_PER_SEC, 300 * NS_PER_SEC};

/* Returns whether points that are DISTANCE_NS apart may be those of one in SPACING_NS. */
static bool is_near(uint64_t spacing_ns, uint64_t distance_ns)
{
	return distance_ns <= spacing_ns + spacing_ns / 2;
}

void recorder_part_done(struct recorder_part *p)
{
	ring_done(&p->points);
	for (size_t i = 0; i < p->count; i++)
		ring_done(&p->each[i]);
	p->count = 0;
}

/* Returns whether the rows of Q are one that the recorder can find by its name. */
static bool is_one_row(const struct history_query *q, const struct history_sight *sight)
{
	if (sight->recent != SIGHT_ALL)
		return q->scope == METRIC_HOST;
	if (q->scope == METRIC_HOST)
		return true;
	return q->names == 1 && !owner_of(metric_owner_kind(q->scope))->has_user;
}

/* Returns the start of the ring's points in the time of Q, or the end of this time. */
static uint64_t find_ring(const struct history_query *q, const struct ring *ring)
{
	uint64_t from_ns = (uint64_t)q->from_s * NS_PER_SEC;
	uint64_t to_ns = ((uint64_t)q->to_s + 1) * NS_PER_SEC;

	for (size_t i = 0; i < ring->points; i++)
		if (ring->point[i]->realtime_ns >= from_ns)
			return saturate_min(ring->point[i]->realtime_ns, to_ns);
	return to_ns;
}

void recorder_part_plan(struct recorder_part *p, const struct history_query *q,
	const struct ring *ring, const struct history_sight *sight, uint64_t interval_ns,
	uint64_t userns)
{
	uint64_t max;

	*p = (struct recorder_part){.points.bytes_max = BYTES_MAX,
		.is_series = is_one_row(q, sight),
		.from_ns = (uint64_t)q->from_s * NS_PER_SEC,
		.to_ns = find_ring(q, ring),
		.userns = userns};
	max = p->is_series ? RECORDER_PART_SERIES_MAX : RECORDER_PART_SNAPSHOTS_MAX;
	if (!interval_ns)
		interval_ns = NS_PER_SEC;
	if (p->to_ns <= p->from_ns + NEAR_INTERVALS * interval_ns) {
		p->is_done = true;
		return;
	}
	p->interval_ns = interval_ns;
	p->step_ns = saturate_max(interval_ns, q->step_s * NS_PER_SEC);
	p->step_ns = saturate_max(p->step_ns, (p->to_ns - p->from_ns) / max + 1);
	p->step_ns += NS_PER_SEC - 1;
	p->step_ns -= p->step_ns % NS_PER_SEC;
}

void recorder_part_next(
	const struct recorder_part *p, const struct history_query *q, struct past_request *ret)
{
	if (!p->is_series) {
		*ret = (struct past_request){.pick = PAST_AT, .at_ns = p->to_ns - 1};
		return;
	}
	*ret = (struct past_request){.pick = PAST_SERIES,
		.at_ns = p->from_ns,
		.until_ns = p->to_ns - 1,
		.step_ns = p->step_ns,
		.scope = q->scope,
		.quantity = ring_scope_quantity(q->metric->value)};
	if (q->names)
		snprintf(ret->name, sizeof(ret->name), "%s", history_query_name(q, 0));
}

/* Returns the shorter distance of point I of R to the points beside it; UINT64_MAX: it is the only one. */
static uint64_t find_distance(const struct ring *r, size_t i)
{
	uint64_t at_ns = r->point[i]->realtime_ns, before = UINT64_MAX, after = UINT64_MAX;

	if (i > 0)
		before = saturate_less(at_ns, r->point[i - 1]->realtime_ns);
	if (i + 1 < r->points)
		after = saturate_less(r->point[i + 1]->realtime_ns, at_ns);
	return saturate_min(before, after);
}

/* Of older time not each step has a snapshot: says how far apart the points of R are there. */
static void recorder_part_space(struct ring *r)
{
	for (size_t i = 0; i < r->points; i++) {
		uint64_t distance_ns = find_distance(r, i);

		for (size_t k = 0; k < ARRAY_SIZE(sparse_ns); k++)
			if (is_near(r->point[i]->length_ns, distance_ns))
				break;
			else if (is_near(sparse_ns[k], distance_ns))
				r->point[i]->length_ns = saturate_max(
					sparse_ns[k], r->point[i]->length_ns);
	}
}

static void take_series(struct recorder_part *p, const struct history_query *q,
	const struct recorder_question *answer)
{
	float values[RING_QUANTITIES];

	p->is_done = true;
	for (uint32_t i = 0; i < answer->head.points; i++) {
		const struct past_point *point = &answer->points[i];

		if (point->at_ns < p->from_ns || point->at_ns >= p->to_ns)
			continue;
		for (size_t k = 0; k < RING_QUANTITIES; k++)
			values[k] = NAN;
		if (point->present & 1)
			values[q->metric->value] = (float)point->value;
		if (q->metric->has_bounds && point->present & 2) {
			values[RING_PSS_LOW] = (float)point->low;
			values[RING_PSS_HIGH] = (float)point->high;
		}
		ring_begin(&p->points, point->at_ns, 0, p->step_ns);
		if (point->present & 1)
			ring_add(&p->points, q->scope, OWNER_NO_ID,
				q->names ? history_query_name(q, 0) : "", "", values);
		if (ring_end(&p->points) < 0)
			return;
	}
	recorder_part_space(&p->points);
}

/* Adds the only point of FROM to TO. Returns 0 or -ENOMEM. */
static int copy_point(struct ring *to, const struct ring *from)
{
	AUTO_RING_CURSOR struct ring_cursor c = {0};
	const struct ring_point *point = from->points ? from->point[0] : NULL;
	int r = ring_cursor_open(&c, from);

	if (r < 0 || !point || !ring_cursor_next(&c))
		return r;
	ring_begin(to, point->realtime_ns, 0, point->length_ns);
	for (unsigned int scope = METRIC_HOST; scope < METRIC_OWNERS_END; scope++) {
		size_t count;
		const struct ring_sample *sample = ring_cursor_samples(
			&c, (enum metric_scope)scope, &count);

		for (size_t i = 0; i < count; i++) {
			const struct ring_row *row = &from->row[sample[i].row];

			ring_add(to, row->scope, row->id, row->name, row->user, sample[i].q);
		}
	}
	return ring_end(to);
}

/* Finishes P: puts the points in the order of time. */
static void recorder_part_finish(struct recorder_part *p)
{
	int r = 0;

	p->is_done = true;
	while (p->count) {
		struct ring *one = &p->each[--p->count];

		if (!one->points)
			r = -ENOMEM;
		if (r == 0)
			r = copy_point(&p->points, one);
		ring_done(one);
	}
	recorder_part_space(&p->points);
	if (r < 0 || p->points.dropped)
		snprintf(p->problem, sizeof(p->problem),
			"memtally-web has no memory for the recorded snapshots");
}

/* Goes on with the steps before the one with the time NS, which is before .to_ns. */
static void go_back(struct recorder_part *p, uint64_t ns)
{
	uint64_t steps = (p->to_ns - 1 - ns) / p->step_ns + 1;

	if (steps > (p->to_ns - p->from_ns) / p->step_ns || p->count == RECORDER_PART_SNAPSHOTS_MAX)
		recorder_part_finish(p);
	else
		p->to_ns -= steps * p->step_ns;
	if (p->to_ns <= p->from_ns)
		recorder_part_finish(p);
}

/* Returns whether each snapshot is to be a point. A step of the same length may have none, or two. */
static bool takes_each(const struct recorder_part *p)
{
	return p->step_ns <= p->interval_ns + p->interval_ns / 4;
}

static void take_snapshot(struct recorder_part *p, const struct recorder_question *answer)
{
	uint64_t at_ns = answer->head.at_ns;
	struct ring *one;

	if (!answer->view || at_ns < p->from_ns || at_ns >= p->to_ns) {
		recorder_part_finish(p); /* there are none in the rest of the time */
		return;
	}
	if (answer->view->header->userns == p->userns) {
		one = &p->each[p->count++];
		*one = (struct ring){.bytes_max = BYTES_MAX / RECORDER_PART_SNAPSHOTS_MAX};
		(void)ring_take_at(
			one, answer->view, p->step_ns); /* without memory it is missing */
	}
	if (!takes_each(p) || at_ns < p->from_ns + p->interval_ns / 2 ||
		p->count == RECORDER_PART_SNAPSHOTS_MAX)
		go_back(p, at_ns);
	else
		p->to_ns = at_ns - p->interval_ns / 2;
}

void recorder_part_take(struct recorder_part *p, const struct history_query *q,
	const struct recorder_question *answer)
{
	const struct past_head *head = &answer->head;
	bool is_none = head->status == PAST_NONE;

	p->asked++;
	if (*answer->wait.problem || (head->status != PAST_GOOD && !is_none)) {
		p->is_done = *answer->wait.problem || head->status != PAST_DAMAGED || p->is_series;
		p->is_absent = answer->wait.is_absent;
		snprintf(p->problem, sizeof(p->problem), "%s",
			*answer->wait.problem          ? answer->wait.problem
			: head->status == PAST_DAMAGED ? "a recorded snapshot is damaged"
			: head->status == PAST_BUSY    ? "memtally-recorder is busy"
						       : "memtally-recorder does not show the past "
							 "to the user of this memtally-web");
		if (!p->is_done)
			go_back(p, p->to_ns - 1);
		else
			recorder_part_finish(p);
	} else if (p->is_series) {
		take_series(p, q, answer);
	} else {
		take_snapshot(p, answer);
	}
}

void recorder_part_hurry(struct recorder_part *p, uint64_t spent_ns, uint64_t left_ns)
{
	uint64_t steps = (p->to_ns - p->from_ns) / p->step_ns + 1;
	uint64_t each_ns = p->asked ? spent_ns / p->asked + 1 : 1;
	/* A part stays unused: the next ones may take longer. */
	uint64_t possible = left_ns / each_ns * 3 / 4;

	if (p->is_series || !possible || possible >= steps)
		return;
	p->step_ns = (p->to_ns - p->from_ns) / possible + NS_PER_SEC;
	p->step_ns -= p->step_ns % NS_PER_SEC;
}

void recorder_part_give_up(struct recorder_part *p)
{
	recorder_part_finish(p);
	snprintf(p->problem, sizeof(p->problem),
		"memtally-recorder did not answer all questions in time");
}
