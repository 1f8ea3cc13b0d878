/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "cli/why/facts/findings.h"

#include <string.h>

#include "base/saturate.h"
#include "cli/why/facts/same-row.h"

enum { GAP_INTERVALS = 3, OTHERS_GREW_MORE = 2, AVAILABLE_PARTS = 10 };

bool findings_is_limit_likely(const struct findings *f)
{
	const struct cause *c = &f->cause;

	return f->incident.kind == INCIDENT_OOM && f->moments.afters &&
	       (!c->owners || (c->owners == 1 && c->owner[0].is_probable)) &&
	       f->available.has_before && f->total.has_before &&
	       f->available.before >= f->total.before / AVAILABLE_PARTS;
}

static bool is_of_gone_owner(const struct findings *f, const struct snapshot_process *row)
{
	for (size_t i = 0; i < f->cause.gones; i++) {
		const struct cause_place *p = &f->cause.gone[i];

		if (same_row_is_member(moments_last(&f->moments), row, p->kind, p->of, p->row))
			return true;
	}
	return false;
}

const struct vanished_process *findings_suspect(const struct findings *f)
{
	if (f->incident.kind != INCIDENT_OOM || f->cause.owners || !f->vanished.listed)
		return NULL;
	for (size_t i = 0; i < f->vanished.listed; i++)
		if (is_of_gone_owner(f, f->vanished.item[i].row))
			return &f->vanished.item[i];
	return &f->vanished.item[0];
}

/* Returns the growth of the suspect; NULL: it is not among the largest. */
static const struct grower *suspect_growth(const struct findings *f)
{
	const struct vanished_process *v = findings_suspect(f);

	for (size_t i = 0; v && i < f->processes.count; i++)
		if (f->processes.item[i].process == v->row)
			return &f->processes.item[i];
	return NULL;
}

const struct grower *findings_first_process(const struct findings *f)
{
	if (f->inside.count)
		return &f->inside.item[0];
	if (findings_is_limit_likely(f))
		return suspect_growth(f);
	return f->processes.count ? &f->processes.item[0] : NULL;
}

const struct grower *findings_first_owner(const struct findings *f)
{
	const struct grower *process = f->processes.count ? &f->processes.item[0] : NULL;

	if (findings_is_limit_likely(f))
		return NULL;
	for (size_t i = 0; i < f->owners.count; i++) {
		const struct grower *g = &f->owners.item[i];

		if (!process)
			return g;
		if (g->scope == metric_owner_scope(OWNER_PROGRAM) &&
			g->growth.bytes / OTHERS_GREW_MORE >= process->growth.bytes)
			return g;
	}
	return NULL;
}

/* Returns the last snapshot in which the growth that is named first had not begun; the first one. */
static const struct view *find_start(const struct findings *f)
{
	const struct grower *first = findings_first_owner(f);
	const struct moments *m = &f->moments;
	size_t i = 0;

	if (!first)
		first = findings_first_process(f);
	while (first && i + 1 < m->befores &&
		moments_time_ns(m->before[i + 1]) <= first->growth.since_ns)
		i++;
	return m->before[i];
}

static void note_amount(
	const struct view *view, enum scope_quantity i, bool *ret_has, uint64_t *ret)
{
	const struct snapshot_scope *host = view_host(view);

	*ret_has = ROW_HAS(host, i);
	if (*ret_has)
		*ret = host->q[i];
}

static void compare_amount(
	const struct findings *f, enum scope_quantity i, struct findings_amount *ret)
{
	note_amount(f->start, i, &ret->has_start, &ret->start);
	note_amount(moments_last(&f->moments), i, &ret->has_before, &ret->before);
	if (f->moments.afters)
		note_amount(f->moments.after[0], i, &ret->has_after, &ret->after);
}

/* The amounts that tell how likely a limit was: .start is not known yet. */
static void compare_before(struct findings *f)
{
	const struct view *last = moments_last(&f->moments);

	note_amount(last, SCOPE_MEM_AVAILABLE, &f->available.has_before, &f->available.before);
	note_amount(last, SCOPE_MEM_TOTAL, &f->total.has_before, &f->total.before);
}

/* Swap space in use: that of processes, of SysV segments, and the rest, which may be negative. */
static bool swap_used(const struct snapshot_balance *row, uint64_t *ret)
{
	static const enum balance_quantity parts[] = {
		BALANCE_SWAP_PROCESSES, BALANCE_SWAP_SYSV, BALANCE_SWAP_UNKNOWN};
	int64_t sum = 0;

	for (size_t i = 0; i < ARRAY_SIZE(parts); i++) {
		if (!ROW_HAS(row, parts[i]))
			return false;
		sum = saturate_sum(sum, (int64_t)row->q[parts[i]]);
	}
	*ret = sum < 0 ? 0 : (uint64_t)sum;
	return true;
}

static void note_swap(const struct view *view, bool *ret_has_used, uint64_t *ret_used,
	bool *ret_has_free, uint64_t *ret_free)
{
	const struct snapshot_balance *row = view_balance(view);

	*ret_has_used = row && swap_used(row, ret_used);
	*ret_has_free = row && ROW_HAS(row, BALANCE_SWAP_FREE);
	if (*ret_has_free)
		*ret_free = row->q[BALANCE_SWAP_FREE];
}

static void compare_swap(struct findings *f)
{
	struct findings_amount *used = &f->swap_used, *left = &f->swap_free;

	note_swap(f->start, &used->has_start, &used->start, &left->has_start, &left->start);
	note_swap(moments_last(&f->moments), &used->has_before, &used->before, &left->has_before,
		&left->before);
	if (f->moments.afters)
		note_swap(f->moments.after[0], &used->has_after, &used->after, &left->has_after,
			&left->after);
}

static uint64_t change_of(const struct findings_line *l)
{
	return l->before_bytes > l->start_bytes
	               ? (uint64_t)l->before_bytes - (uint64_t)l->start_bytes
	               : (uint64_t)l->start_bytes - (uint64_t)l->before_bytes;
}

static void add_line(struct findings *f, const struct findings_line *l)
{
	size_t at = f->lines;

	while (at && change_of(&f->line[at - 1]) < change_of(l))
		at--;
	if (at == FINDINGS_LINES || change_of(l) < FINDINGS_LEAST_BYTES)
		return;
	if (f->lines < FINDINGS_LINES)
		f->lines++;
	for (size_t i = f->lines - 1; i > at; i--)
		f->line[i] = f->line[i - 1];
	f->line[at] = *l;
}

/*
 * Memory of processes of which no kind is known yet has a line only where there is some: absent, it is
 * 0 if the other kinds are known.
 */
static bool has_line(const struct snapshot_balance *row, unsigned int line)
{
	return ROW_HAS(row, line) ||
	       (line == BALANCE_PSS_UNSPLIT && ROW_HAS(row, BALANCE_PSS_ANON));
}

static int64_t line_bytes(const struct snapshot_balance *row, unsigned int line)
{
	return ROW_HAS(row, line) ? (int64_t)row->q[line] : 0;
}

static void compare_balance(struct findings *f)
{
	const struct snapshot_balance *start = view_balance(f->start);
	const struct snapshot_balance *before = view_balance(moments_last(&f->moments));

	if (!start || !before)
		return;
	for (unsigned int n = 0; n <= BALANCE_KINDS; n++) {
		const struct balance_kind *kind = n < BALANCE_KINDS ? balance_kind(n) : NULL;
		unsigned int line = kind ? kind->line : BALANCE_RESIDUAL;

		if (has_line(start, line) && has_line(before, line))
			add_line(f, &(struct findings_line){.kind = kind,
					    .start_bytes = line_bytes(start, line),
					    .before_bytes = line_bytes(before, line)});
	}
}

static size_t start_at(const struct findings *f)
{
	size_t i = 0;

	while (f->moments.before[i] != f->start)
		i++;
	return i;
}

/*
 * Returns the last snapshot before the pressure, the first one if it was there all the time; without
 * pressure the one in which growth began.
 */
static const struct view *before_pressure(const struct findings *f)
{
	const struct moments *m = &f->moments;
	uint64_t from_ns = f->incident.pressure_first_ns;
	size_t i = 0;

	while (i + 1 < m->befores && moments_time_ns(m->before[i + 1]) < from_ns)
		i++;
	if (!from_ns)
		i = start_at(f);
	/* what processes waited for before another kill belongs to that one */
	while (i + 1 < m->befores && moments_time_ns(m->before[i]) < f->incident.earlier_kill_ns)
		i++;
	return m->before[i];
}

/* Writes the growth of counter I to *RET. Returns false if it is not known. */
static bool findings_grew(const struct snapshot_scope *from, const struct snapshot_scope *to,
	enum scope_quantity i, uint64_t *ret)
{
	if (!from || !ROW_HAS(from, i) || !ROW_HAS(to, i) || to->q[i] < from->q[i])
		return false;
	*ret = to->q[i] - from->q[i];
	return true;
}

static void add_waiter(struct findings *f, const struct findings_waiter *w)
{
	size_t at = f->waiters;

	while (at && f->waiter[at - 1].waited_ns < w->waited_ns)
		at--;
	if (at == FINDINGS_WAITERS || w->waited_ns < NS_PER_SEC / 10)
		return;
	if (f->waiters < FINDINGS_WAITERS)
		f->waiters++;
	for (size_t i = f->waiters - 1; i > at; i--)
		f->waiter[i] = f->waiter[i - 1];
	f->waiter[at] = *w;
}

static int compare_waiters(
	struct findings *f, enum owner_kind kind, const struct view *from, const struct view *to)
{
	AUTO_SAME_ROW_INDEX struct same_row_index before = {0}, after = {0};
	int r = same_row_index_make(from, kind, &before);

	if (r == 0)
		r = same_row_index_make(to, kind, &after);
	for (size_t i = 0; r == 0 && i < after.rows; i++) {
		const struct snapshot_scope *row = after.row[i];
		struct findings_waiter w = {.place = {.kind = kind, .of = to, .row = row}};

		if (findings_grew(same_row_owner(&before, to, row), row, SCOPE_MEMORY_WAITING,
			    &w.waited_ns))
			add_waiter(f, &w);
	}
	return r;
}

static int compare_pressure(struct findings *f)
{
	static const enum owner_kind kinds[] = {OWNER_CONTAINER, OWNER_USER_UNIT, OWNER_UNIT};
	const struct moments *m = &f->moments;
	const struct view *from = before_pressure(f);
	const struct view *to = m->afters ? m->after[m->afters - 1] : moments_last(m);
	int r = 0;

	f->waited_from = from;
	f->waited_to = to;
	f->waited_span_ns = saturate_less(to->header->boottime_ns, from->header->boottime_ns);
	f->has_waited = findings_grew(
		view_host(from), view_host(to), SCOPE_MEMORY_WAITING, &f->waited_ns);
	f->has_stalled = findings_grew(
		view_host(from), view_host(to), SCOPE_MEMORY_STALLED, &f->stalled_ns);
	for (size_t i = 0; r == 0 && i < ARRAY_SIZE(kinds); i++)
		r = compare_waiters(f, kinds[i], from, to);
	return r;
}

static bool is_other_instance(const struct view *a, const struct view *b)
{
	return memcmp(a->header->instance, b->header->instance, IMAGE_INSTANCE_SIZE) != 0;
}

/* Finds a restart of memtallyd, a reboot, and time without snapshots. */
static void find_breaks(struct findings *f)
{
	const struct moments *m = &f->moments;
	const struct view *last = moments_last(m), *before = m->before[0];

	for (size_t i = 1; i < m->befores + m->afters; i++) {
		const struct view *view = i < m->befores ? m->before[i] : m->after[i - m->befores];

		if (is_other_instance(before, view)) {
			f->has_restart = true;
			f->restart_ns = moments_time_ns(view);
		}
		before = view;
	}
	if (!m->afters)
		return;
	f->has_reboot = moments_is_reboot(m);
	f->has_gap = saturate_less(moments_time_ns(m->after[0]), moments_time_ns(last)) >
	             GAP_INTERVALS * last->header->interval_ns;
}

static void find_growers(struct findings *f)
{
	const struct growers_within all = {.row = NULL};

	growers_find_processes(&f->moments, GROWERS_MEMORY, &all, &f->processes);
	growers_find_processes(&f->moments, GROWERS_SWAP, &all, &f->swapped);
	if (f->swapped.count > FINDINGS_SWAPPED)
		f->swapped.count = FINDINGS_SWAPPED;
	if (f->cause.owners) {
		const struct cause_place *p = &f->cause.owner[0].place;
		const struct growers_within within = {.kind = p->kind, .of = p->of, .row = p->row};

		growers_find_processes(&f->moments, GROWERS_MEMORY, &within, &f->inside);
	}
}

/* Makes I an OOM kill if the recording has no mark for one. */
static void set_oom(struct incident *i, uint64_t at_ns)
{
	if (i->kind == INCIDENT_OOM)
		return;
	i->kind = INCIDENT_OOM;
	i->first_ns = i->last_ns = at_ns;
}

int findings_make(const struct moments *m, const struct incident *incident, bool is_own_only,
	struct findings *ret)
{
	struct findings f = {.incident = *incident,
		.moments = *m,
		.is_own_only = is_own_only,
		.is_public = view_is_public(moments_last(m))};
	int r = cause_find(m, incident, &f.cause);
	if (f.cause.has_kills && f.cause.kills)
		set_oom(&f.incident, moments_time_ns(m->after[0]));
	if (r == 0)
		r = growers_find_owners(m, &f.owners);
	if (r < 0)
		return r;
	find_growers(&f);
	if (!moments_is_reboot(m))
		vanished_find(m, incident, &f.cause, is_own_only, &f.vanished);
	compare_before(&f);
	f.start = find_start(&f);
	compare_amount(&f, SCOPE_MEM_AVAILABLE, &f.available);
	compare_amount(&f, SCOPE_MEM_TOTAL, &f.total);
	compare_swap(&f);
	compare_balance(&f);
	find_breaks(&f);
	r = compare_pressure(&f);
	if (r == 0)
		*ret = f;
	return r;
}
