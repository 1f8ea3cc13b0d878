/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "cli/why/facts/vanished.h"

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

/* Returns true if VIEW does not have the process of ROW, or has it as a zombie. */
static bool lacks_process(const struct view *view, const struct snapshot_process *row)
{
	const struct snapshot_process *now = same_row_process(view, row);

	return !now || now->outcome == OUTCOME_NO_MM || now->outcome == OUTCOME_GONE;
}

static bool has_vanished(
	const struct moments *m, const struct snapshot_process *row, bool is_inside)
{
	size_t last = is_inside ? m->afters : 1;

	for (size_t i = 0; i < last; i++)
		if (lacks_process(m->after[i], row))
			return true;
	return false;
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

void vanished_find(
	const struct moments *m, const struct cause *c, bool is_partial, struct vanished *ret)
{
	const struct view *last = moments_last(m);
	bool is_shown = m->afters && !view_is_public(m->after[0]);
	uint32_t count = is_shown ? view_count(last, METRIC_PROCESS) : 0;

	*ret = (struct vanished){.is_partial = is_partial};
	for (uint32_t i = 0; i < count; i++) {
		struct vanished_process p = {.row = view_process(last, i)};

		p.owner = vanished_owner(last, p.row, c);
		if (!growers_process_bytes(p.row, &p.bytes, &p.is_rss) ||
			!has_vanished(m, p.row, p.owner < CAUSE_OWNERS_MAX))
			continue;
		ret->count++;
		ret->bytes = saturate_add(ret->bytes, p.bytes);
		if (p.owner < CAUSE_OWNERS_MAX)
			ret->inside[p.owner]++;
		list_process(ret, &p);
	}
}
