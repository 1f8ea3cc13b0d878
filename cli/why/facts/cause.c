/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "cli/why/facts/cause.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/saturate.h"
#include "cli/why/facts/cause-private.h"
#include "cli/why/facts/same-row.h"
#include "snapshot/owner.h"

/*
 * Kinds of cgroups, the innermost first. A cgroup of one kind may be in one of a later kind only; a
 * slice also in a slice. Sessions and machines are scopes, which are units.
 */
static const enum owner_kind innermost[] = {
	OWNER_CONTAINER, OWNER_USER_UNIT, OWNER_UNIT, OWNER_POD, OWNER_SLICE};

/* Owners with kills, in the order of innermost[]. */
struct risen {
	struct cause_owner *item; /* owned */
	size_t count, room;
};

static void risen_done(struct risen *r)
{
	free(r->item);
}

/* Returns the growth of counter I from BEFORE (NULL: it was 0) to AFTER; 0 if it is not known. */
static uint64_t counter_growth(const struct snapshot_scope *before,
	const struct snapshot_scope *after, enum scope_quantity i)
{
	if (!ROW_HAS(after, i) || (before && !ROW_HAS(before, i)))
		return 0;
	return saturate_less(after->q[i], before ? before->q[i] : 0);
}

/* Adds the owner of AFTER with KIND, if it had kills since BEFORE, its row then (NULL: none). */
static int add_risen(struct risen *to, enum owner_kind kind, const struct view *of,
	const struct snapshot_scope *before, const struct snapshot_scope *after)
{
	struct cause_owner o = {
		.place = {.kind = kind, .of = of, .row = after},
		.kills = counter_growth(before, after, SCOPE_OOM_KILLS),
		.limit_events = counter_growth(before, after, SCOPE_CGROUP_MAX_EVENTS),
	};

	if (!o.kills)
		return 0;
	if (o.limit_events)
		o.limit = o.place;
	if (ARRAY_RESERVE(to->item, to->room, to->count + 1) < 0)
		return -ENOMEM;
	to->item[to->count++] = o;
	return 0;
}

/* Returns the last snapshot before the kill after INCIDENT; the first one after the event if it is later. */
static const struct view *before_later_kill(
	const struct moments *m, const struct incident *incident)
{
	size_t i = 0;

	while (i + 1 < m->afters && (!incident->later_kill_ns || moments_time_ns(m->after[i + 1]) <
									 incident->later_kill_ns))
		i++;
	return m->after[i];
}

/* Compares the owners of KIND before the event with those of the last snapshot after it. */
static int compare_kind(const struct moments *m, const struct view *until_view,
	enum owner_kind kind, struct risen *risen, struct cause *ret)
{
	AUTO_SAME_ROW_INDEX struct same_row_index before = {0}, until = {0}, after = {0};
	const struct view *last = moments_last(m), *end = m->after[m->afters - 1];
	int r = same_row_index_make(last, kind, &before);

	if (r == 0)
		r = same_row_index_make(until_view, kind, &until);
	if (r == 0)
		r = same_row_index_make(end, kind, &after);
	for (size_t i = 0; r == 0 && i < after.rows; i++)
		r = add_risen(
			risen, kind, end, same_row_owner(&before, end, after.row[i]), after.row[i]);
	if (r == 0)
		cause_add_gone(m, &before, &until, &after, ret);
	return r;
}

/* Returns true if slice A is above slice B, as systemd names them: a.slice is above a-b.slice. */
static bool is_slice_above(const char *a, const char *b)
{
	size_t len = strlen(a);
	static const char end[] = ".slice";
	size_t stem = len >= sizeof(end) - 1 ? len - (sizeof(end) - 1) : 0;

	if (!stem || strcmp(a + stem, end) != 0 || !strcmp(a, b))
		return false;
	return !strcmp(a, "-.slice") || (!strncmp(a, b, stem) && b[stem] == '-');
}

bool cause_is_member(const struct view *view, const struct snapshot_process *process,
	const struct cause_place *p)
{
	return same_row_is_member(view, process, p->kind, p->of, p->row) ||
	       (p->kind == OWNER_SLICE && is_slice_above(view_text(p->of, p->row->name),
						  view_owner(view, process, OWNER_SLICE)));
}

/* Returns true if a process of VIEW belongs to both A and B. */
static bool shares_process(
	const struct view *view, const struct cause_place *a, const struct cause_place *b)
{
	uint32_t count = view_count(view, METRIC_PROCESS);

	for (uint32_t i = 0; i < count; i++) {
		const struct snapshot_process *p = view_process(view, i);

		if (cause_is_member(view, p, a) && cause_is_member(view, p, b))
			return true;
	}
	return false;
}

bool cause_is_inside(
	const struct moments *m, const struct cause_place *a, const struct cause_place *b)
{
	const char *outer = view_text(a->of, a->row->name);
	const char *inner = view_text(b->of, b->row->name);

	if (a->kind == b->kind)
		return a->kind == OWNER_SLICE && is_slice_above(outer, inner);
	if (shares_process(moments_last(m), a, b) || shares_process(a->of, a, b))
		return true;
	if (b->kind == OWNER_CONTAINER && a->kind == OWNER_UNIT)
		return strstr(outer, inner) != NULL;
	if (b->kind == OWNER_CONTAINER && a->kind == OWNER_POD)
		return !strcmp(view_text(b->of, b->row->above), outer);
	return false;
}

/* Records that INNER is inside of OUTER. A cgroup counts the kills of all below it. */
static void set_inside(struct cause_owner *outer, struct cause_owner *inner)
{
	outer->kills = saturate_less(outer->kills, inner->kills);
	if (!inner->slice.row && outer->place.kind == OWNER_SLICE)
		inner->slice = outer->place;
	if (!inner->limit.row && outer->limit_events) {
		inner->limit = outer->place;
		inner->limit_events = outer->limit_events;
	}
}

/* Finds which owners are inside of others. Inner ones come first in R. */
static void cause_nest(const struct moments *m, struct risen *r)
{
	for (size_t i = 0; i < r->count; i++)
		for (size_t k = 0; k < i; k++)
			if (cause_is_inside(m, &r->item[i].place, &r->item[k].place))
				set_inside(&r->item[i], &r->item[k]);
}

/* Returns the row of the slice NAME in VIEW; NULL: there is none. */
static const struct snapshot_scope *find_slice(const struct view *view, const char *name)
{
	uint32_t count = view_count(view, METRIC_SLICE);

	for (uint32_t i = 0; i < count; i++) {
		const struct snapshot_scope *row = view_scope(view, METRIC_SLICE, i);

		if (same_row_is_owner(view, row) && !strcmp(view_text(view, row->name), name))
			return row;
	}
	return NULL;
}

/*
 * Sets the slice of O, if a process of it in VIEW tells. With cgroup v1 a kill does not count in the
 * slice.
 */
static void set_slice(const struct view *view, struct cause_owner *o)
{
	uint32_t count = view_count(view, METRIC_PROCESS);

	for (uint32_t i = 0; !o->slice.row && i < count; i++) {
		const struct snapshot_process *p = view_process(view, i);

		if (same_row_is_member(view, p, o->place.kind, o->place.of, o->place.row))
			o->slice = (struct cause_place){.kind = OWNER_SLICE,
				.of = view,
				.row = find_slice(view, view_owner(view, p, OWNER_SLICE))};
	}
}

static int compare_slices(const void *a, const void *b)
{
	const struct cause_owner *x = a, *y = b;
	size_t len_x = strlen(view_text(x->place.of, x->place.row->name));
	size_t len_y = strlen(view_text(y->place.of, y->place.row->name));

	return len_x < len_y ? 1 : len_x > len_y ? -1 : 0;
}

static int compare_kills(const void *a, const void *b)
{
	const struct cause_owner *x = a, *y = b;

	return x->kills < y->kills ? 1 : x->kills > y->kills ? -1 : 0;
}

/* Without rows of processes it is not known which slice has a unit: units explain the kills first. */
static void drop_explained(struct risen *r, uint64_t kills)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < r->count; i++) {
		if (r->item[i].place.kind == OWNER_SLICE)
			r->item[i].kills = saturate_min(
				r->item[i].kills, saturate_less(kills, sum));
		sum = saturate_add(sum, r->item[i].kills);
	}
}

static void take_risen(struct risen *r, struct cause *ret)
{
	uint64_t left = ret->has_kills ? ret->kills : UINT64_MAX;

	if (r->count)
		qsort(r->item, r->count, sizeof(*r->item), compare_kills);
	for (size_t i = 0; i < r->count; i++) {
		r->item[i].kills = saturate_min(r->item[i].kills, left);
		if (!r->item[i].kills)
			break;
		left -= r->item[i].kills;
		if (ret->owners < CAUSE_OWNERS_MAX)
			ret->owner[ret->owners++] = r->item[i];
		else
			ret->is_cut = true;
	}
	ret->unknown = ret->has_kills ? left : 0;
}

uint64_t cause_read_ns(const struct view *view, const struct snapshot_scope *row)
{
	return saturate_less(moments_time_ns(view),
		ROW_HAS(row, SCOPE_CGROUP_AGE) ? row->q[SCOPE_CGROUP_AGE] : 0);
}

/* Returns how many processes of the owner at P are gone in VIEW, or without memory. */
static uint64_t count_gone(
	const struct moments *m, const struct view *view, const struct cause_place *p)
{
	const struct view *last = moments_last(m);
	uint32_t count = view_count(last, METRIC_PROCESS);
	uint64_t gone = 0;

	for (uint32_t i = 0; i < count; i++) {
		const struct snapshot_process *row = view_process(last, i);

		if (same_row_is_member(last, row, p->kind, p->of, p->row))
			gone += same_row_is_gone(view, row);
	}
	return gone;
}

/* Kills that follow each other, and the owners of a kind in the snapshots between them. */
struct series {
	const struct incident *incident;
	const struct view *last, *end;       /* before the event, and before the next kill */
	struct same_row_index before, until; /* of .last and .end */
};

static void series_done(struct series *s)
{
	same_row_index_done(&s->before);
	same_row_index_done(&s->until);
}

/*
 * Returns how many kills of O are of this event: as many as its counter had before the next kill, or
 * else, if it was read too late or too early to tell, as many as processes of it are gone.
 */
static uint64_t series_kills(
	const struct moments *m, const struct series *s, const struct cause_owner *o)
{
	uint64_t earlier_ns = s->incident->earlier_kill_ns;
	uint64_t later_ns = s->incident->later_kill_ns;
	const struct view *of = o->place.of;
	const struct snapshot_scope *before = same_row_owner(&s->before, of, o->place.row);
	const struct snapshot_scope *until = same_row_owner(&s->until, of, o->place.row);
	bool is_early = earlier_ns && before && cause_read_ns(s->last, before) < earlier_ns;
	bool is_late = later_ns && cause_read_ns(of, o->place.row) >= later_ns;
	uint64_t kills = 0;

	if (!is_early && !is_late)
		return o->kills;
	if (!is_early && until)
		kills = counter_growth(before, until, SCOPE_OOM_KILLS);
	return kills ? kills : saturate_min(o->kills, count_gone(m, s->end, &o->place));
}

/* Leaves to R as many kills as INCIDENT can have had. */
static int limit_risen(const struct moments *m, const struct incident *incident, struct risen *r)
{
	if ((!incident->earlier_kill_ns && !incident->later_kill_ns) ||
		view_is_public(moments_last(m)))
		return 0;
	for (size_t i = 0; i < r->count; i++) {
		CLEANUP(series_done)
		struct series s = {.incident = incident,
			.last = moments_last(m),
			.end = before_later_kill(m, incident)};
		enum owner_kind kind = r->item[i].place.kind;
		int k = same_row_index_make(s.last, kind, &s.before);

		if (k == 0)
			k = same_row_index_make(s.end, kind, &s.until);
		if (k < 0)
			return k;
		r->item[i].kills = series_kills(m, &s, &r->item[i]);
	}
	return 0;
}

/* Counts the kills on the host up to the first snapshot at HOST_NS or later. */
static void count_kills(const struct moments *m, uint64_t host_ns, struct cause *ret)
{
	const struct snapshot_scope *before = view_host(moments_last(m));
	size_t i = 0;
	const struct snapshot_scope *after;

	while (i + 1 < m->afters && moments_time_ns(m->after[i]) < host_ns)
		i++;
	after = view_host(m->after[i]);
	ret->has_kills = ROW_HAS(before, SCOPE_OOM_KILLS) && ROW_HAS(after, SCOPE_OOM_KILLS) &&
	                 after->q[SCOPE_OOM_KILLS] >= before->q[SCOPE_OOM_KILLS];
	if (ret->has_kills)
		ret->kills = after->q[SCOPE_OOM_KILLS] - before->q[SCOPE_OOM_KILLS];
}

int cause_find(const struct moments *m, const struct incident *incident, struct cause *ret)
{
	CLEANUP(risen_done) struct risen risen = {0};
	const struct view *until;
	size_t slices = 0;
	int r = 0;

	*ret = (struct cause){.has_kills = false};
	if (!m->afters || moments_is_reboot(m))
		return 0;
	until = before_later_kill(m, incident);
	count_kills(m, incident->last_ns, ret);
	for (size_t i = 0; r == 0 && i < ARRAY_SIZE(innermost); i++) {
		slices = risen.count;
		r = compare_kind(m, until, innermost[i], &risen, ret);
	}
	if (r == 0)
		r = limit_risen(m, incident, &risen);
	if (r < 0)
		return r;
	/* the innermost slice first: it has the longest name of those above each other */
	if (risen.count)
		qsort(&risen.item[slices], risen.count - slices, sizeof(*risen.item),
			compare_slices);
	cause_nest(m, &risen);
	if (ret->has_kills)
		drop_explained(&risen, ret->kills);
	take_risen(&risen, ret);
	cause_find_lost(m, until, ret);
	for (size_t i = 0; i < ret->owners; i++)
		if (ret->owner[i].place.kind != OWNER_SLICE)
			set_slice(moments_last(m), &ret->owner[i]);
	return 0;
}
