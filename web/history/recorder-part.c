/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "web/history/recorder-part.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/saturate.h"
#include "snapshot/owner.h"

#define BYTES_MAX ((size_t)8 << 20) /* of the points */

/* The first point of the ring is that of the recorder, too, if it is not later by more. */
enum { NEAR_INTERVALS = 2 };

void recorder_part_done(struct recorder_part *p)
{
	ring_done(&p->points);
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
		.next_ns = (uint64_t)q->from_s * NS_PER_SEC,
		.to_ns = find_ring(q, ring),
		.userns = userns};
	max = p->is_series ? RECORDER_PART_SERIES_MAX : RECORDER_PART_SNAPSHOTS_MAX;
	if (!interval_ns)
		interval_ns = NS_PER_SEC;
	if (p->to_ns <= p->next_ns + NEAR_INTERVALS * interval_ns) {
		p->is_done = true;
		return;
	}
	p->step_ns = saturate_max(interval_ns, q->step_s * NS_PER_SEC);
	p->step_ns = saturate_max(p->step_ns, (p->to_ns - p->next_ns) / max + 1);
	p->step_ns += NS_PER_SEC - 1;
	p->step_ns -= p->step_ns % NS_PER_SEC;
}

void recorder_part_next(
	const struct recorder_part *p, const struct history_query *q, struct past_request *ret)
{
	if (!p->is_series) {
		*ret = (struct past_request){.pick = PAST_AT,
			.at_ns = saturate_min(p->next_ns + p->step_ns, p->to_ns) - 1};
		return;
	}
	*ret = (struct past_request){.pick = PAST_SERIES,
		.at_ns = p->next_ns,
		.until_ns = p->to_ns - 1,
		.step_ns = p->step_ns,
		.scope = q->scope,
		.quantity = ring_scope_quantity(q->metric->value)};
	if (q->names)
		snprintf(ret->name, sizeof(ret->name), "%s", history_query_name(q, 0));
}

static void take_series(struct recorder_part *p, const struct history_query *q,
	const struct recorder_question *answer)
{
	float values[RING_QUANTITIES];

	p->is_done = true;
	for (uint32_t i = 0; i < answer->head.points; i++) {
		const struct past_point *point = &answer->points[i];

		if (point->at_ns < p->next_ns || point->at_ns >= p->to_ns)
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
}

/* Moves P to the step with the time NS, which is later. */
static void recorder_part_skip(struct recorder_part *p, uint64_t ns)
{
	if (ns >= p->next_ns + p->step_ns)
		p->next_ns = ns - (ns - p->next_ns) % p->step_ns;
	else
		p->next_ns += p->step_ns;
	p->is_done = p->next_ns >= p->to_ns;
}

static void take_snapshot(struct recorder_part *p, const struct recorder_question *answer)
{
	const struct past_head *head = &answer->head;

	p->asked++;
	if (!answer->view) {
		/* Before the first snapshot. */
		if (head->first_ns > p->next_ns)
			recorder_part_skip(p, head->first_ns);
		else
			p->is_done = true;
	} else if (head->at_ns < p->next_ns) {
		/* There is none in this step. */
		if (head->after_ns)
			recorder_part_skip(p, head->after_ns);
		else
			p->is_done = true;
	} else {
		if (answer->view->header->userns == p->userns &&
			ring_take_at(&p->points, answer->view, p->step_ns) < 0)
			p->is_done = true;
		recorder_part_skip(p, 0);
	}
	p->is_done |= p->asked > 2 * RECORDER_PART_SNAPSHOTS_MAX;
}

void recorder_part_take(struct recorder_part *p, const struct history_query *q,
	const struct recorder_question *answer)
{
	const struct past_head *head = &answer->head;
	bool is_none = head->status == PAST_NONE;

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
			recorder_part_skip(p, 0);
	} else if (p->is_series) {
		take_series(p, q, answer);
	} else {
		take_snapshot(p, answer);
	}
}

void recorder_part_give_up(struct recorder_part *p)
{
	p->is_done = true;
	snprintf(p->problem, sizeof(p->problem),
		"memtally-recorder did not answer all questions in time");
}
