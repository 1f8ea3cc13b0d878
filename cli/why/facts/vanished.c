/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "cli/why/facts/vanished.h"

#include <string.h>

#include "base/saturate.h"
#include "cli/why/facts/growers.h"
#include "cli/why/facts/same-row.h"

/* Returns the number of the first owner of C that has ROW, a process of VIEW. */
static size_t vanished_owner(
	const struct view *view, const struct snapshot_process *row, const struct cause *c)
{
	for (size_t i = 0; i < c->owners; i++) {
		const struct cause_place *p = &c->owner[i].place;

		if (same_row_is_member(view, row, p->kind, p->of, p->row))
			return i;
	}
	return CAUSE_OWNERS_MAX;
}

/* Returns true if one of the first AFTERS snapshots after the event lacks the process of ROW. */
static bool has_vanished(const struct moments *m, const struct snapshot_process *row, size_t afters)
{
	for (size_t i = 0; i < afters; i++)
		if (same_row_is_gone(m->after[i], row))
			return true;
	return false;
}

/* Returns the number of snapshots after the event, 1 at least, that were made before the next kill. */
static size_t vanished_afters(const struct moments *m, const struct incident *incident)
{
	size_t i = 1;

	while (i < m->afters && (!incident->later_kill_ns ||
					moments_time_ns(m->after[i]) < incident->later_kill_ns))
		i++;
	return i;
}

/* Counts in INSIDE the processes with memory of each owner that the first AFTERS snapshots lack. */
static void count_inside(const struct moments *m, const struct cause *c, size_t afters,
	size_t inside[static CAUSE_OWNERS_MAX])
{
	const struct view *last = moments_last(m);
	uint32_t count = view_count(last, METRIC_PROCESS);

	memset(inside, 0, CAUSE_OWNERS_MAX * sizeof(*inside));
	for (uint32_t i = 0; i < count; i++) {
		const struct snapshot_process *row = view_process(last, i);
		size_t owner = vanished_owner(last, row, c);
		uint64_t bytes;
		bool is_rss;

		if (owner < CAUSE_OWNERS_MAX && growers_process_bytes(row, &bytes, &is_rss))
			inside[owner] += has_vanished(m, row, afters);
	}
}

/*
 * Sets for each owner how many snapshots after the event tell which of its processes vanished: up to
 * the first one in which as many are gone as the kernel killed. Later exits are not kills.
 */
static void find_afters(const struct moments *m, const struct incident *incident,
	const struct cause *c, size_t ret[static CAUSE_OWNERS_MAX + 1])
{
	size_t most = vanished_afters(m, incident), inside[CAUSE_OWNERS_MAX];

	for (size_t k = 0; k <= CAUSE_OWNERS_MAX; k++)
		ret[k] = k < c->owners ? most : 1;
	for (size_t afters = most; c->owners && afters > 0; afters--) {
		count_inside(m, c, afters, inside);
		for (size_t k = 0; k < c->owners; k++)
			if (inside[k] >= c->owner[k].kills)
				ret[k] = afters;
	}
}

static bool comes_before(const struct vanished_process *a, const struct vanished_process *b)
{
	bool a_inside = a->owner < CAUSE_OWNERS_MAX, b_inside = b->owner < CAUSE_OWNERS_MAX;

	return a_inside != b_inside ? a_inside : a->bytes > b->bytes;
}

static void list_process(struct vanished *to, const struct vanished_process *p)
{
	size_t at = to->listed;

	while (at && comes_before(p, &to->item[at - 1]))
		at--;
	if (at == VANISHED_MAX)
		return;
	if (to->listed < VANISHED_MAX)
		to->listed++;
	for (size_t i = to->listed - 1; i > at; i--)
		to->item[i] = to->item[i - 1];
	to->item[at] = *p;
}

void vanished_find(const struct moments *m, const struct incident *incident, const struct cause *c,
	bool is_partial, struct vanished *ret)
{
	const struct view *last = moments_last(m);
	bool is_shown = m->afters && !view_is_public(m->after[0]);
	uint32_t count = is_shown ? view_count(last, METRIC_PROCESS) : 0;
	size_t afters[CAUSE_OWNERS_MAX + 1] = {0};

	*ret = (struct vanished){.is_partial = is_partial};
	if (is_shown)
		find_afters(m, incident, c, afters);
	for (uint32_t i = 0; i < count; i++) {
		struct vanished_process p = {.row = view_process(last, i)};

		p.owner = vanished_owner(last, p.row, c);
		if (!growers_process_bytes(p.row, &p.bytes, &p.is_rss) ||
			!has_vanished(m, p.row, afters[p.owner]))
			continue;
		ret->count++;
		ret->bytes = saturate_add(ret->bytes, p.bytes);
		if (p.owner < CAUSE_OWNERS_MAX)
			ret->inside[p.owner]++;
		list_process(ret, &p);
	}
}
