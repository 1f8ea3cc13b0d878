/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "cli/past/recorded-points.h"

#include <errno.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/clock.h"
#include "base/saturate.h"

#define LEAST_SKIP_NS NS_PER_SEC /* snapshots are not closer */

enum {
	/* One answer has PAST_POINTS_MAX points at most, so a long time is asked for in parts. */
	PARTS = 8,
	SKIPS = 256,        /* behind damage at least this part of the time is left out */
	TRIES = 64,         /* of one part */
	HAS_VALUE = 1 << 0, /* of .present of a point */
};

void recorded_points_done(struct recorded_points *p)
{
	free(p->point);
	*p = (struct recorded_points){.points = 0};
}

/* Adds the points of one answer to P. */
static int recorded_points_add(struct recorded_points *p, const struct past_answer *answer)
{
	size_t count = answer->head.points;

	p->is_own_only |= (answer->head.flags & PAST_OWN_ONLY) != 0;
	if (ARRAY_RESERVE(p->point, p->room, p->points + count) < 0)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++)
		if (!p->points || p->point[p->points - 1].at_ns < answer->points[i].at_ns)
			p->point[p->points++] = answer->points[i];
	return 0;
}

/*
 * Adds the points of the time of Q to P. An answer ends before a damaged snapshot, without saying where
 * that is: ask again from a later time on, until there are points.
 */
static int recorded_points_ask_part(struct past_session *session, const struct past_request *q,
	struct recorded_points *p, struct buffer *reason)
{
	uint64_t least_ns = saturate_max(LEAST_SKIP_NS, (q->until_ns - q->at_ns) / SKIPS);
	uint64_t skip_ns = least_ns;
	struct past_request rest = *q;
	bool is_behind_damage = false;

	for (unsigned int i = 0; i < TRIES && rest.at_ns <= rest.until_ns; i++) {
		AUTO_PAST_ANSWER struct past_answer answer = {.points = NULL};
		AUTO_BUFFER struct buffer why = {0};
		size_t before = p->points;
		int r = past_session_ask(session, &rest, &answer, &why);
		bool is_damaged = r < 0 && answer.head.status == PAST_DAMAGED;

		if (r < 0 && !is_damaged) {
			buffer_add(reason, why.data, why.len);
			return r;
		}
		if (recorded_points_add(p, &answer) < 0)
			return -ENOMEM;
		if (is_behind_damage && p->points > before)
			p->point[before].marks |= PAST_MARK_GAP;
		if (!is_damaged)
			return 0;
		p->has_damaged = is_behind_damage = true;
		skip_ns = p->points > before ? least_ns : 2 * skip_ns;
		rest.at_ns = saturate_add(
			p->points > before ? p->point[p->points - 1].at_ns : rest.at_ns, skip_ns);
	}
	return 0;
}

/* Asks for the time of Q, which is recorded, in parts. */
static int recorded_points_ask_parts(struct past_session *session, const struct past_request *q,
	struct recorded_points *p, struct buffer *reason)
{
	uint64_t all_ns = q->until_ns - q->at_ns;
	struct past_request part = *q;
	int r = 0;

	part.step_ns = 0;
	/* The last round is for a newest snapshot that is close to the one before it. */
	for (size_t i = 0; r == 0 && i <= PARTS; i++) {
		part.at_ns = q->at_ns + saturate_part(all_ns, i, PARTS) + (i ? 1 : 0);
		part.until_ns = q->at_ns + saturate_part(all_ns, saturate_min(i + 1, PARTS), PARTS);
		if (i == PARTS && p->points)
			part.at_ns = p->point[p->points - 1].at_ns + 1;
		r = recorded_points_ask_part(session, &part, p, reason);
	}
	return r;
}

/* Adds the MARKS of the snapshots that were left out. Without an answer there are fewer. */
static void recorded_points_add_marks(struct past_session *session, const struct past_request *q,
	uint32_t marks, struct recorded_points *p)
{
	const struct past_request all = {
		.pick = PAST_MARKS, .at_ns = q->at_ns, .until_ns = q->until_ns, .marks = marks};
	AUTO_PAST_ANSWER struct past_answer answer = {.points = NULL};
	AUTO_BUFFER struct buffer unused = {0};
	size_t at = 0;

	if (!p->points || past_session_ask(session, &all, &answer, &unused) < 0)
		return;
	for (size_t i = 0; i < answer.head.points; i++) {
		while (at + 1 < p->points && p->point[at].at_ns < answer.points[i].at_ns)
			at++;
		p->point[at].marks |= answer.points[i].marks;
	}
}

int recorded_points_ask(struct past_session *session, const struct past_request *q,
	struct recorded_points *p, struct buffer *reason)
{
	AUTO_PAST_ANSWER struct past_answer answer = {.points = NULL};
	struct past_request recorded = *q;
	int r = past_session_ask(
		session, &(struct past_request){.pick = PAST_COVERAGE}, &answer, reason);

	p->head = answer.head;
	if (r < 0)
		return r;
	recorded.at_ns = saturate_max(q->at_ns, p->head.first_ns);
	recorded.until_ns = saturate_min(q->until_ns, p->head.last_ns);
	if (recorded.at_ns > recorded.until_ns)
		return 0;
	r = recorded_points_ask_parts(session, &recorded, p, reason);
	if (r == 0 && !p->points && p->has_damaged) {
		buffer_add_text(reason, "the recorded snapshots of that time are damaged");
		return -EIO;
	}
	if (r < 0)
		return r;
	/* An answer has the newest marks alone, and memory pressure marks snapshot after snapshot. */
	recorded_points_add_marks(
		session, &recorded, PAST_MARK_OOM | PAST_MARK_START | PAST_MARK_GAP, p);
	recorded_points_add_marks(session, &recorded, PAST_MARK_PRESSURE, p);
	return 0;
}

/* Makes TO the larger one of TO and POINT, with the marks of both. */
static void recorded_points_join(struct past_point *to, const struct past_point *point)
{
	uint32_t marks = to->marks | point->marks;
	bool has = point->present & HAS_VALUE;

	if (has && (!(to->present & HAS_VALUE) || point->value > to->value))
		*to = *point;
	to->marks = marks;
}

void recorded_points_thin(struct recorded_points *p, size_t max)
{
	uint64_t first_ns, all_ns;
	size_t parts = max > 2 ? max - 2 : 1, kept = 0, before = SIZE_MAX;

	if (p->points <= max)
		return;
	first_ns = p->point[0].at_ns;
	all_ns = p->point[p->points - 1].at_ns - first_ns;
	for (size_t i = 0; i < p->points; i++) {
		struct past_point point = p->point[i];
		size_t part = (size_t)saturate_part(point.at_ns - first_ns, parts, all_ns);
		bool stays = !i || i + 1 == p->points || point.marks & PAST_MARK_OOM;

		if (!stays && part == before)
			recorded_points_join(&p->point[kept - 1], &point);
		else
			p->point[kept++] = point;
		before = stays ? SIZE_MAX : part;
	}
	p->points = kept;
}
