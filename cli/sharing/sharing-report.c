/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "cli/sharing/sharing-report.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/saturate.h"
#include "snapshot/owner.h"

/*
 * Returns the name of a set: the value of its only filter or pid, or "(chosen)" if there are
 * several.
 */
static const char *name_of_set(const struct settings *c)
{
	const char *name = NULL;
	size_t count = c->operands.count - 1;

	for (unsigned int i = 0; i <= OWNER_KINDS; i++) {
		const struct text_list *values = selection_filter(c, (enum owner_kind)i);

		count += values->count;
		if (values->count)
			name = values->item[0];
	}
	return count == 1 ? name ? name : c->operands.item[1] : "(chosen)";
}

/*
 * Returns the number of processes of group I that were read. Processes that share an address space
 * with another are not scanned themselves; if no process of the group was read, they are not
 * counted either.
 */
static uint32_t processes_read(const struct sharing_walk *w, uint32_t i)
{
	const struct sharing_tally *tally = &w->tally[i];
	uint32_t missed = tally->denied + tally->blocked + tally->ended;

	return missed && !tally->read ? 0 : w->groups.group[i].processes - missed;
}

/* Returns true if all processes of group I exited before any of their memory was seen. */
static bool sharing_report_has_ended(const struct sharing_walk *w, uint32_t i)
{
	const struct frame_owner *owner = &w->mappers.owners.group[i];
	uint64_t seen = frame_owner_resident(owner) + owner->resident[FRAME_OWNER_SWAP] +
	                owner->resident[FRAME_OWNER_HUGETLB];

	return !seen && !w->tally[i].denied && !w->tally[i].blocked && !processes_read(w, i);
}

/* The total is of all groups, also those that are not shown. */
static void sharing_report_add_total(const struct sharing_walk *w, struct sharing_report *to)
{
	struct frame_owner all = w->mappers.owners.all;
	uint64_t page_tables = 0;
	uint32_t processes = 0, denied = 0, blocked = 0;

	for (uint32_t i = 0; i < w->groups.groups; i++) {
		const struct groups_group *group = &w->groups.group[i];

		if (sharing_options_is_set(w->options) ? !group->is_chosen
						       : sharing_report_has_ended(w, i))
			continue;
		page_tables += w->tally[i].page_tables;
		processes += processes_read(w, i);
		denied += w->tally[i].denied;
		blocked += w->tally[i].blocked;
		all.fair += w->mappers.owners.group[i].fair;
		to->groups++;
		to->has_none |= group->name && !strcmp(group->name, OWNER_NONE);
	}
	sharing_fill(&to->total, &all, page_tables, processes, !sharing_options_is_set(w->options),
		sharing_walk_tells_swap(w));
	sharing_lack(&to->total, denied, blocked, 0);
}

static int sharing_report_add_rows(const struct sharing_walk *w, struct sharing_report *to)
{
	to->row = calloc((size_t)w->groups.groups + 1, sizeof(*to->row));
	if (!to->row)
		return -ENOMEM;
	for (uint32_t i = 0; i < w->groups.groups; i++) {
		const struct groups_group *group = &w->groups.group[i];
		struct sharing_row *row = &to->row[to->rows];

		if (!group->is_chosen ||
			(!sharing_options_is_set(w->options) && sharing_report_has_ended(w, i)))
			continue;
		row->name = group->name ? group->name : name_of_set(w->options->settings);
		row->user = group->user;
		row->group = i;
		sharing_fill(row, &w->mappers.owners.group[i], w->tally[i].page_tables,
			processes_read(w, i), !sharing_options_is_set(w->options),
			sharing_walk_tells_swap(w));
		sharing_lack(row, w->tally[i].denied, w->tally[i].blocked, group->elsewhere);
		to->rows++;
	}
	sharing_report_add_total(w, to);
	return 0;
}

static int add_matrix(const struct sharing_walk *w, struct sharing_report *to)
{
	size_t most = to->look.limit ? saturate_min(to->look.limit, SHARING_MATRIX_MAX)
	                             : SHARING_MATRIX_MAX;
	size_t count = saturate_min(to->rows, most);
	uint32_t group[SHARING_MATRIX_MAX];

	if (sharing_options_is_set(w->options) ||
		(!w->options->settings->matrix && to->look.form != LIST_JSON))
		return 0;
	to->matrix = calloc(count * count + 1, sizeof(*to->matrix));
	if (!to->matrix)
		return -ENOMEM;
	to->compared = count;
	for (size_t i = 0; i < count; i++)
		group[i] = to->row[i].group;
	return frame_owners_matrix(&w->mappers.owners, group, count, to->matrix);
}

struct sharing_report sharing_report_empty(const struct inspection *a)
{
	const struct owner *owner = sharing_options_is_set(a) ? NULL
	                                                      : owner_of((enum owner_kind)a->by);

	return (struct sharing_report){
		.by = owner ? owner->name : NULL,
		.title = owner ? owner->title : "SET",
		.has_user = owner && owner->has_user,
		.sort = (enum sharing_field)a->sort,
		.look = a->look,
	};
}

int sharing_report_make(const struct sharing_walk *w, struct sharing_report *ret)
{
	AUTO_SHARING_REPORT struct sharing_report report = sharing_report_empty(w->options);
	int r;

	report.others_shared = frame_owner_resident(&w->mappers.owners.others);
	report.others_fair = w->mappers.owners.others.fair;
	report.others_pss = w->mappers.owners.others.pss;
	report.many = w->mappers.owners.many;
	report.changed = w->mappers.owners.changed;
	report.gone = w->mappers.owners.gone;
	report.unmapped_kept = w->mappers.unmapped.kept_bytes;
	report.unmapped_untold = w->mappers.unmapped.untold;
	report.statistics = w->statistics;
	r = sharing_report_add_rows(w, &report);
	if (r == 0) {
		sharing_sort(&report, w->options->ascending);
		r = add_matrix(w, &report);
	}
	if (r == 0) {
		*ret = report;
		report = (struct sharing_report){0};
	}
	return r;
}
