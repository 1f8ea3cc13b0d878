/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "cli/sharing/sharing-groups.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/common/each-process.h"
#include "cli/common/reading/supervisor.h"

/* A process that can be opened exists: it started after the snapshot was made. */
static int find_nothing(struct target *t, void *context)
{
	(void)t;
	(void)context;
	return TARGET_GONE;
}

/* Logs why process P, which was given, has no memory to count. */
static void sharing_groups_say_missing(
	const struct procfs *procfs, const struct pid_selection_process *p)
{
	int r = each_process_try(procfs, p, find_nothing, NULL);
	const char *why;

	supervisor_say();
	pid_selection_say(p, r, &why);
}

/*
 * Marks the rows of the processes that were given by pid. Returns true if one is missing, which
 * does not fail the others.
 */
static bool mark_named(const struct pid_selection *chosen, const struct view *view,
	const struct procfs *procfs, bool *is_named)
{
	bool has_failed = false;

	for (size_t i = 0; i < chosen->count; i++) {
		const struct snapshot_process *row = groups_find(view, chosen->process[i].pid);

		if (!row) {
			sharing_groups_say_missing(procfs, &chosen->process[i]);
			has_failed = true;
			continue;
		}
		is_named[view_process_index(view, row)] = true;
	}
	return has_failed;
}

static int mark_found(const struct pid_selection *chosen, const struct view *view, bool *is_chosen)
{
	AUTO_FREE uint32_t *rows = NULL;
	size_t count = 0;
	int r = chosen->has_filters ? query_run(&chosen->selection.query, view, &rows, &count) : 0;

	/*
	 * A process that shares an address space is read at another one, which may not match the
	 * filters.
	 */
	for (size_t i = 0; r == 0 && i < count; i++) {
		const struct snapshot_process *row = view_process(view, rows[i]);
		const struct snapshot_process *read = groups_find(view, (pid_t)row->pid);

		is_chosen[rows[i]] = true;
		if (read)
			is_chosen[view_process_index(view, read)] = true;
	}
	return r;
}

/* Copies IS_NAMED, which is by row, to the members. */
static void mark_members(const struct view *view, const bool *is_named, struct groups *c)
{
	for (size_t i = 0; i < c->members; i++) {
		const struct snapshot_process *row = view_find_process(
			view, (uint32_t)c->member[i].pid);

		c->member[i].is_named = row && is_named[view_process_index(view, row)];
	}
}

static bool is_anybody_chosen(const struct groups *c)
{
	for (uint32_t i = 0; i < c->groups; i++)
		if (c->group[i].is_chosen)
			return true;
	return false;
}

int sharing_groups_make(const struct inspection *a, const struct view *view,
	const struct procfs *procfs, struct groups *ret, bool *ret_has_failed)
{
	size_t rows = view_count(view, METRIC_PROCESS);
	AUTO_FREE bool *is_named = calloc(rows + 1, sizeof(*is_named));
	AUTO_FREE bool *is_chosen = calloc(rows + 1, sizeof(*is_chosen));
	AUTO_GROUPS struct groups groups = {0};
	bool has_failed;
	int r;

	if (!is_named || !is_chosen)
		return -ENOMEM;
	has_failed = mark_named(&a->chosen, view, procfs, is_named);
	memcpy(is_chosen, is_named, rows * sizeof(*is_chosen));
	r = mark_found(&a->chosen, view, is_chosen);
	if (r == 0)
		r = groups_make(view, (enum owner_kind)a->by,
			pid_selection_is_some(&a->chosen) ? is_chosen : NULL, &groups);
	if (r < 0)
		return r;
	if (!is_anybody_chosen(&groups))
		return SHARING_GROUPS_NONE;
	mark_members(view, is_named, &groups);
	*ret = groups;
	groups = (struct groups){0};
	*ret_has_failed = has_failed;
	return 0;
}
