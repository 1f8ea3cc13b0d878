/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "cli/why/evidence.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/clock.h"
#include "base/saturate.h"
#include "cli/why/facts/cause.h"
#include "cli/why/facts/vanished.h"
#include "snapshot/past-client.h"

/* The first search goes back so far, each later one twice as far as the one before it. */
#define SEARCH_NS (3600 * NS_PER_SEC)
/* Marks within this time of the mark that was found are of its incident, or the kills next to it. */
#define AROUND_NS (3600 * NS_PER_SEC)
/* Counters of cgroups are read at least once a minute: later snapshots show nothing of the event. */
#define SETTLED_NS (75 * NS_PER_SEC)
/* A killed process exits within this time. */
#define EXITED_NS (15 * NS_PER_SEC)

enum { MARKS_MAX = 1 << 18 }; /* of one search */

/*
 * Seconds before the last snapshot before the event, of those to compare with it; 0: the one before
 * it. Under memory pressure there is one a second.
 */
static const unsigned int offsets_s[] = {
	0, 1, 2, 3, 5, 10, 20, 30, 45, 60, 90, 120, 180, 240, 300, 360, 480, 600, 720, 900};

static_assert(ARRAY_SIZE(offsets_s) < MOMENTS_BEFORE_MAX, "there is room for them and one more");

/*
 * Asks Q. Returns 0 if there is an answer, also if it has nothing, or a snapshot that is damaged; or
 * an error of past_session_ask().
 */
static int evidence_ask(struct evidence *e, const struct past_request *q, struct past_answer *ret)
{
	size_t len = e->reason->len;
	int r = past_session_ask(&e->session, q, ret, e->reason);

	if (r < 0 && r != -ENODATA && r != -EIO)
		return r;
	if (r < 0)
		e->reason->len = len; /* another snapshot may do */
	e->damaged += r == -EIO;
	e->head = ret->head;
	e->is_own_only |= (ret->head.flags & PAST_OWN_ONLY) != 0;
	return 0;
}

int evidence_open(const struct settings *settings, struct evidence *ret, struct buffer *reason)
{
	const struct past_request q = {.pick = PAST_COVERAGE};
	AUTO_PAST_ANSWER struct past_answer answer = {0};
	int r;

	*ret = (struct evidence){.session = PAST_SESSION_CLOSED, .reason = reason};
	r = past_session_open(settings, &ret->session, reason);
	if (r == 0)
		r = evidence_ask(ret, &q, &answer);
	if (r < 0)
		return r;
	return ret->head.last_ns ? 0 : EVIDENCE_NO_SNAPSHOT;
}

void evidence_close(struct evidence *e)
{
	for (size_t i = 0; i < e->copies; i++) {
		view_unref(e->copy[i].view);
		free(e->copy[i].data);
	}
	e->copies = 0;
	past_session_close(&e->session);
}

/* Marks that were received. */
struct received {
	struct past_point *point; /* owned */
	size_t count, room;
};

static void received_done(struct received *r)
{
	free(r->point);
}

/* Puts the marks of ANSWER before those of TO. */
static int take_marks(const struct past_answer *answer, struct received *to)
{
	size_t count = answer->head.points;

	if (ARRAY_RESERVE(to->point, to->room, to->count + count + 1) < 0)
		return -ENOMEM;
	memmove(to->point + count, to->point, to->count * sizeof(*to->point));
	memcpy(to->point, answer->points, count * sizeof(*to->point));
	to->count += count;
	return 0;
}

/*
 * Asks for all marks from FROM_NS to UNTIL_NS, in as many questions as they need: an answer has the
 * newest ones.
 */
static int ask_marks(struct evidence *e, uint64_t from_ns, uint64_t until_ns, struct received *to)
{
	bool is_cut = true;

	to->count = 0;
	while (is_cut && from_ns <= until_ns && to->count < MARKS_MAX) {
		const struct past_request q = {
			.pick = PAST_MARKS, .at_ns = from_ns, .until_ns = until_ns};
		AUTO_PAST_ANSWER struct past_answer answer = {0};
		int k = evidence_ask(e, &q, &answer);

		if (k == 0)
			k = take_marks(&answer, to);
		if (k < 0)
			return k;
		is_cut = answer.head.flags & PAST_CUT && answer.head.points;
		if (is_cut)
			until_ns = to->point[0].at_ns - 1;
	}
	return 0;
}

/* Asks for the marks around MARK_NS, so that none of its incident is missing. */
static int ask_around(struct evidence *e, uint64_t mark_ns, struct received *to)
{
	return ask_marks(e, saturate_less(mark_ns, AROUND_NS),
		saturate_min(mark_ns + AROUND_NS, PAST_TIME_MAX_NS), to);
}

/* Searches backwards, since the last incident is often a recent one. */
static int evidence_find_last(struct evidence *e, bool only_oom, struct incident *ret)
{
	CLEANUP(received_done) struct received marks = {0};
	uint64_t first_ns = e->head.first_ns, until_ns = e->head.last_ns, span_ns = SEARCH_NS;

	for (;;) {
		uint64_t from_ns = saturate_max(saturate_less(until_ns, span_ns), first_ns);
		int k = ask_marks(e, from_ns, until_ns, &marks);

		if (k < 0)
			return k;
		if (incident_last(marks.point, marks.count, only_oom, ret)) {
			k = ask_around(e, ret->last_ns, &marks);
			if (k == 0)
				(void)incident_last(marks.point, marks.count, only_oom, ret);
			return k;
		}
		if (from_ns <= first_ns)
			return EVIDENCE_NO_INCIDENT;
		until_ns = from_ns - 1;
		span_ns *= 2;
	}
}

/* Writes the time of the first snapshot at AT_NS or later to *RET_NS; 0: there is none. */
static int evidence_ask_next(struct evidence *e, uint64_t at_ns, uint64_t *ret_ns)
{
	const struct past_request q = {.pick = PAST_AFTER, .at_ns = saturate_less(at_ns, 1)};
	AUTO_PAST_ANSWER struct past_answer answer = {0};
	size_t damaged = e->damaged;
	int k = evidence_ask(e, &q, &answer);

	e->damaged = damaged; /* evidence_load() counts it if it needs it */
	*ret_ns = answer.head.at_ns;
	return k;
}

static int evidence_find_at(struct evidence *e, uint64_t at_ns, struct incident *ret)
{
	CLEANUP(received_done) struct received marks = {0};
	uint64_t next_ns = 0;
	int k = ask_around(e, at_ns, &marks);

	if (k == 0)
		k = evidence_ask_next(e, at_ns, &next_ns);
	if (k == 0 && !incident_near(marks.point, marks.count, at_ns, next_ns, ret))
		*ret = (struct incident){.kind = INCIDENT_NONE,
			.first_ns = at_ns,
			.last_ns = at_ns,
			.asked_ns = at_ns};
	return k;
}

int evidence_find(struct evidence *e, enum evidence_wish wish, uint64_t at_ns, struct incident *ret)
{
	return wish == EVIDENCE_AT ? evidence_find_at(e, at_ns, ret)
	                           : evidence_find_last(e, wish == EVIDENCE_LAST_OOM, ret);
}

/* Copies VIEW, which the caller gives back to memtally-recorder, into memory of E. */
static int copy_view(struct evidence *e, const struct view *view, const struct view **ret)
{
	AUTO_FREE void *data = malloc(view->size);
	struct view *copy = NULL;
	const char *why;
	int k;

	if (!data)
		return -ENOMEM;
	memcpy(data, view->data, view->size);
	k = view_from_bytes(data, view->size, &copy, &why);
	if (k < 0)
		return k;
	e->copy[e->copies++] = (struct evidence_copy){.data = TAKE_PTR(data), .view = copy};
	*ret = copy;
	return 0;
}

/*
 * Asks for the snapshot PICK of AT_NS, which E owns. Returns 0 with *RET, NULL if there is no such
 * snapshot or it cannot be read; or an error.
 */
static int ask_view(
	struct evidence *e, enum past_pick pick, uint64_t at_ns, const struct view **ret)
{
	const struct past_request q = {.pick = pick, .at_ns = at_ns};
	AUTO_PAST_ANSWER struct past_answer answer = {0};
	int k = evidence_ask(e, &q, &answer);

	if (k < 0)
		return k;
	*ret = NULL;
	if (answer.head.status != PAST_GOOD || !answer.view || e->copies == ARRAY_SIZE(e->copy))
		return 0;
	return copy_view(e, answer.view, ret);
}

/*
 * Takes the snapshots of the minutes before KEY, the last one before the event. Of a recording that
 * has one snapshot for several of these times, it is taken once. If a recording begins later, its
 * first snapshot is taken.
 */
static int load_before(struct evidence *e, const struct view *key)
{
	const struct view *found[ARRAY_SIZE(offsets_s) + 1] = {key};
	uint64_t key_ns = moments_time_ns(key), last_ns = key_ns;
	size_t count = 1;

	for (size_t i = 0; i < ARRAY_SIZE(offsets_s) && last_ns > e->head.first_ns; i++) {
		uint64_t at_ns = saturate_less(key_ns, offsets_s[i] * NS_PER_SEC);
		const struct view *view;
		int k;

		at_ns = saturate_max(saturate_min(at_ns, key_ns - 1), e->head.first_ns);
		if (at_ns >= last_ns)
			continue;
		k = ask_view(e, PAST_AT, at_ns, &view);
		if (k < 0)
			return k;
		if (!view || moments_time_ns(view) >= last_ns)
			continue;
		last_ns = moments_time_ns(view);
		found[count++] = view;
	}
	e->moments.befores = count;
	for (size_t i = 0; i < count; i++)
		e->moments.before[i] = found[count - 1 - i];
	return 0;
}

static void take_after(struct evidence *e, const struct view *view)
{
	struct moments *m = &e->moments;
	uint64_t last_ns = moments_time_ns(m->afters ? m->after[m->afters - 1] : moments_last(m));

	if (view && m->afters < MOMENTS_AFTER_MAX && moments_time_ns(view) > last_ns)
		m->after[m->afters++] = view;
}

/*
 * Sets *RET_MORE to true if a snapshot after LAST_NS may tell more: a unit with an OOM kill is not
 * known yet, or a killed process has not exited. Returns 0 or -ENOMEM.
 */
static int evidence_wants_more(
	const struct moments *m, const struct incident *incident, uint64_t last_ns, bool *ret_more)
{
	struct vanished vanished;
	struct cause cause;
	int k = cause_find(m, incident, &cause);
	bool is_known;

	if (k < 0)
		return k;
	is_known = cause_is_known(&cause) && cause_are_units_known(&cause);
	vanished_find(m, incident, &cause, false, &vanished);
	*ret_more = (!is_known && last_ns <= incident->last_ns + SETTLED_NS) ||
	            (!view_is_public(moments_last(m)) &&
			    !vanished_are_complete(&vanished, &cause) &&
			    last_ns <= incident->last_ns + EXITED_NS);
	return 0;
}

/* Takes later snapshots until they tell all. */
static int load_causes(struct evidence *e, const struct incident *incident)
{
	struct moments *m = &e->moments;

	while (m->afters && m->afters < MOMENTS_AFTER_MAX) {
		uint64_t last_ns = moments_time_ns(m->after[m->afters - 1]);
		size_t before = m->afters;
		bool wants_more = false;
		const struct view *view;
		int k = evidence_wants_more(m, incident, last_ns, &wants_more);

		if (k < 0 || !wants_more)
			return k;
		k = ask_view(e, PAST_AFTER, last_ns, &view);
		if (k < 0)
			return k;
		take_after(e, view);
		if (m->afters == before)
			return 0;
	}
	return 0;
}

/* Returns the snapshot just before the event as *RET, NULL if there is none. */
static int evidence_load_key(
	struct evidence *e, const struct incident *incident, const struct view **ret)
{
	int k;

	if (incident->kind != INCIDENT_OOM)
		return ask_view(e, PAST_AT, incident->last_ns, ret);
	k = ask_view(e, PAST_BEFORE, incident->first_ns, ret);
	if (k < 0 || *ret)
		return k;
	return ask_view(e, PAST_AT, incident->first_ns, ret);
}

int evidence_load(struct evidence *e, const struct incident *incident)
{
	const struct view *key, *view = NULL;
	int k = evidence_load_key(e, incident, &key);

	if (k == 0 && !key)
		return EVIDENCE_NO_SNAPSHOT;
	if (k == 0)
		k = load_before(e, key);
	if (k < 0)
		return k;
	if (incident->kind == INCIDENT_OOM) {
		k = ask_view(e, PAST_AT, incident->first_ns, &view);
		if (k == 0) {
			take_after(e, view);
			k = ask_view(e, PAST_AT, incident->last_ns, &view);
		}
	} else {
		k = ask_view(e, PAST_AFTER, moments_time_ns(key), &view);
	}
	if (k < 0)
		return k;
	take_after(e, view);
	return incident->kind == INCIDENT_OOM ? load_causes(e, incident) : 0;
}
