/* SPDX-License-Identifier: Apache-2.0 */
/*
 * OOM kills of which the counter is lost
 *
 * A cgroup that is removed takes its counter along. systemd stops a service after an OOM kill
 * (OOMPolicy=stop, the default) and removes its cgroup, also if it starts the service again. With
 * cgroup v2 the kill still counts in the slice around it, with v1 on the host alone.
 */
#include "config.h"

#include "cli/why/facts/cause-private.h"

#include "base/saturate.h"
#include "cli/why/facts/same-row.h"

static bool lost_has_processes(const struct snapshot_scope *row)
{
	return ROW_HAS(row, SCOPE_PROCESSES) && row->q[SCOPE_PROCESSES];
}

static uint64_t owner_bytes(const struct snapshot_scope *row)
{
	return ROW_HAS(row, SCOPE_PSS) ? row->q[SCOPE_PSS] : 0;
}

/* Adds the owner at P to those that are gone, if it is one of the largest. */
static void add_gone(struct cause *to, const struct cause_place *p)
{
	size_t at = to->gones;

	while (at && owner_bytes(to->gone[at - 1].row) < owner_bytes(p->row))
		at--;
	if (at == CAUSE_OWNERS_MAX)
		return;
	if (to->gones < CAUSE_OWNERS_MAX)
		to->gones++;
	for (size_t i = to->gones - 1; i > at; i--)
		to->gone[i] = to->gone[i - 1];
	to->gone[at] = *p;
}

/* The processes that an owner had before the event. */
enum lost_processes {
	LOST_NOT_ALL,
	LOST_ALL,
	LOST_UNCLEAR, /* not all processes have rows */
};

/* Tells which processes of P are gone in VIEW, by their rows. */
static enum lost_processes lost_compare(const struct cause_place *p, const struct view *view)
{
	uint32_t count = view_count(p->of, METRIC_PROCESS);
	uint64_t gone = 0;

	for (uint32_t i = 0; i < count; i++) {
		const struct snapshot_process *row = view_process(p->of, i);

		if (!same_row_is_member(p->of, row, p->kind, p->of, p->row))
			continue;
		if (!same_row_is_gone(view, row))
			return LOST_NOT_ALL;
		gone++;
	}
	return gone < p->row->q[SCOPE_PROCESSES] ? LOST_UNCLEAR : LOST_ALL;
}

/*
 * Tells which processes of P are gone in VIEW, where NOW is its row (NULL: none). If it was started
 * again, its oldest process is a later one.
 */
static enum lost_processes lost_judge(
	const struct cause_place *p, const struct view *view, const struct snapshot_scope *now)
{
	const struct snapshot_scope *row = p->row;

	if (!now || !lost_has_processes(now))
		return LOST_ALL;
	if (!ROW_HAS(row, SCOPE_OLDEST_START) || !ROW_HAS(now, SCOPE_OLDEST_START) ||
		now->q[SCOPE_OLDEST_START] <= row->q[SCOPE_OLDEST_START])
		return LOST_NOT_ALL;
	return lost_compare(p, view);
}

/* Returns the time of BEFORE by the clock of AFTER, which may have been set since. */
static uint64_t lost_since_ns(const struct view *before, const struct view *after)
{
	return saturate_less(moments_time_ns(after),
		saturate_less(after->header->boottime_ns, before->header->boottime_ns));
}

/* Without a counter of its own its kills count in the cgroup around it. */
static bool lost_has_counter(const struct cause_place *p)
{
	return ROW_HAS(p->row, SCOPE_OOM_KILLS);
}

static bool lost_has_more_kills(
	const struct snapshot_scope *now, const struct snapshot_scope *before)
{
	return ROW_HAS(now, SCOPE_OOM_KILLS) && ROW_HAS(before, SCOPE_OOM_KILLS) &&
	       now->q[SCOPE_OOM_KILLS] > before->q[SCOPE_OOM_KILLS];
}

/*
 * Returns true if a snapshot after the event shows P with processes that it had, and its counter,
 * read since then, without a kill. memtallyd reads the counter of the host last: a counter of a cgroup
 * in the snapshot with the mark may have been read before the kill. IS_SURE: later ones alone tell.
 */
static bool lost_outlived(const struct moments *m, const struct cause_place *p, bool is_sure)
{
	const struct view *since = is_sure ? m->after[0] : moments_last(m);

	for (size_t i = 0; lost_has_counter(p) && i < m->afters; i++) {
		const struct view *view = m->after[i];
		const struct snapshot_scope *now = same_row_find(view, p->kind, p->of, p->row);
		enum lost_processes lost = lost_judge(p, view, now);

		if (lost == LOST_ALL || (is_sure && lost == LOST_UNCLEAR))
			continue;
		if (ROW_HAS(now, SCOPE_OOM_KILLS) && !lost_has_more_kills(now, p->row) &&
			cause_read_ns(view, now) > lost_since_ns(since, view))
			return true;
	}
	return false;
}

void cause_add_gone(const struct moments *m, const struct same_row_index *before,
	const struct same_row_index *until, const struct same_row_index *end, struct cause *c)
{
	enum owner_kind kind = before->kind;

	if (kind != OWNER_UNIT && kind != OWNER_USER_UNIT && kind != OWNER_CONTAINER)
		return;
	for (size_t i = 0; i < before->rows; i++) {
		const struct cause_place p = {
			.kind = kind, .of = before->view, .row = before->row[i]};
		const struct snapshot_scope *now = same_row_owner(until, p.of, p.row);
		const struct snapshot_scope *last = same_row_owner(end, p.of, p.row);
		enum lost_processes lost;

		if (!lost_has_processes(p.row))
			continue;
		lost = lost_judge(&p, until->view, now);
		if (lost == LOST_ALL && !lost_outlived(m, &p, true))
			add_gone(c, &p);
		/* a kill that END does not show any more is not known either */
		if (lost == LOST_UNCLEAR ||
			(lost == LOST_NOT_ALL && lost_has_more_kills(now, p.row) &&
				!(last && lost_has_more_kills(last, p.row))))
			c->is_gone_unclear = true;
	}
}

/*
 * Returns true if all owners of KIND in VIEW have counters that were read later than SINCE_NS: a
 * kill in one of them shows.
 */
static bool are_read(const struct view *view, enum owner_kind kind, uint64_t since_ns)
{
	enum metric_scope scope = metric_owner_scope(kind);
	uint32_t count = view_count(view, scope);

	for (uint32_t i = 0; i < count; i++) {
		const struct snapshot_scope *row = view_scope(view, scope, i);

		if (!same_row_is_owner(view, row) || !lost_has_processes(row))
			continue;
		if (!ROW_HAS(row, SCOPE_OOM_KILLS) || cause_read_ns(view, row) <= since_ns)
			return false;
	}
	return true;
}

/* Returns true if GONE, of C->gone, has another one of these inside of it. */
static bool has_inner(
	const struct moments *m, const struct cause *c, const struct cause_place *gone)
{
	for (size_t i = 0; i < c->gones; i++) {
		const struct cause_place *p = &c->gone[i];
		bool is_further_in = p->kind != gone->kind &&
		                     (p->kind == OWNER_CONTAINER || gone->kind == OWNER_UNIT);

		if (is_further_in && lost_has_counter(p) && cause_is_inside(m, gone, p))
			return true;
	}
	return false;
}

enum lost_where {
	LOST_INSIDE,
	LOST_OUTSIDE,
	LOST_UNSEEN, /* no row of a process tells */
};

/* Tells whether GONE was inside of AROUND (NULL: the host), by the processes that it had. */
static enum lost_where lost_find(
	const struct view *last, const struct cause_place *gone, const struct cause_place *around)
{
	uint32_t count = around ? view_count(last, METRIC_PROCESS) : 0;

	for (uint32_t i = 0; i < count; i++) {
		const struct snapshot_process *p = view_process(last, i);

		if (cause_is_member(last, p, gone))
			return cause_is_member(last, p, around) ? LOST_INSIDE : LOST_OUTSIDE;
	}
	return around ? LOST_UNSEEN : LOST_INSIDE;
}

/*
 * Returns the one of C->gone inside of AROUND (NULL: of the host) that may have had its kills; NULL:
 * there is none, or more than one.
 */
static const struct cause_place *find_only(
	const struct moments *m, const struct cause *c, const struct cause_place *around)
{
	const struct cause_place *only = NULL;

	for (size_t i = 0; i < c->gones; i++) {
		const struct cause_place *p = &c->gone[i];
		enum lost_where where = lost_find(moments_last(m), p, around);

		if (where == LOST_OUTSIDE || has_inner(m, c, p) ||
			(!lost_has_counter(p) && p->kind != OWNER_UNIT))
			continue;
		if (where == LOST_UNSEEN || only || !lost_has_counter(p))
			return NULL;
		only = p;
	}
	return only && !lost_outlived(m, only, false) ? only : NULL;
}

static bool lost_is_answer(const struct cause *c, const struct cause_place *p)
{
	for (size_t i = 0; i < c->owners; i++)
		if (c->owner[i].place.row == p->row)
			return true;
	return false;
}

/*
 * Finds the cgroup inside of O that the kills of O may have been in. Slices and pods have no processes
 * of their own. Nor has the unit of a user's own systemd, if the user's units have counters.
 */
static void find_inside(
	const struct moments *m, const struct cause *c, bool are_users_read, struct cause_owner *o)
{
	enum owner_kind kind = o->place.kind;
	const struct cause_place *only;

	if (kind != OWNER_SLICE && kind != OWNER_POD && (kind != OWNER_UNIT || !are_users_read))
		return;
	only = find_only(m, c, &o->place);
	if (!only || lost_is_answer(c, only) ||
		(kind == OWNER_UNIT && only->kind != OWNER_USER_UNIT))
		return;
	o->place = *only;
	o->slice = (struct cause_place){.row = NULL}; /* that of O was the one around O */
	o->is_probable = true;
}

void cause_find_lost(const struct moments *m, const struct view *until, struct cause *c)
{
	uint64_t since_ns = lost_since_ns(moments_last(m), until);
	bool are_users_read = are_read(until, OWNER_USER_UNIT, since_ns);
	const struct cause_place *only;

	if (c->is_gone_unclear || c->gones == CAUSE_OWNERS_MAX ||
		!are_read(until, OWNER_UNIT, since_ns) ||
		!are_read(until, OWNER_CONTAINER, since_ns))
		return;
	for (size_t i = 0; i < c->owners; i++)
		find_inside(m, c, are_users_read, &c->owner[i]);
	only = find_only(m, c, NULL);
	if (!c->unknown || !only || lost_is_answer(c, only) || c->owners == CAUSE_OWNERS_MAX)
		return;
	c->owner[c->owners++] = (struct cause_owner){
		.place = *only, .kills = c->unknown, .is_probable = true};
	c->unknown = 0;
}
