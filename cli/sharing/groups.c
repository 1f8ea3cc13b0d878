/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "cli/sharing/groups.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/common/each-process.h"
#include "cli/common/reading/supervisor.h"
#include "snapshot/owner.h"

/* A row, and the keys by which it is grouped. */
struct entry {
	const struct snapshot_process *row;
	const char *name, *user;
	bool is_chosen;
	bool is_elsewhere; /* its memory is counted at a process of another group */
};

void groups_done(struct groups *c)
{
	free(c->member);
	free(c->group);
	*c = (struct groups){0};
}

/* Chosen groups come first: a scan of only these can stop before the others. */
static int compare_groups(const struct entry *x, const struct entry *y)
{
	int r;

	if (x->is_chosen != y->is_chosen)
		return x->is_chosen ? -1 : 1;
	if (!x->name || !y->name)
		return 0;
	r = strcmp(x->name, y->name);
	return r ? r : strcmp(x->user, y->user);
}

static int groups_compare(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;
	int r = compare_groups(x, y);

	return r ? r : (x->row->pid > y->row->pid) - (x->row->pid < y->row->pid);
}

static bool groups_has_memory(const struct snapshot_process *row)
{
	return row->outcome != OUTCOME_NO_MM && row->outcome != OUTCOME_GONE;
}

/*
 * Returns the user that the owner of KIND belongs to. That is not always ROW's user, who may differ
 * in a container or below sudo. Each name of an owner is in an image once.
 */
static const char *groups_user_of(
	const struct view *view, const struct snapshot_process *row, enum owner_kind kind)
{
	enum metric_scope scope = metric_owner_scope(kind);
	uint32_t count = owner_of(kind)->has_user ? view_count(view, scope) : 0;

	for (uint32_t i = 0; i < count; i++) {
		const struct snapshot_scope *owner = view_scope(view, scope, i);

		if (owner->name == row->owner[kind])
			return view_text(view, owner->user);
	}
	return "";
}

static struct entry entry_of(
	const struct view *view, const struct snapshot_process *row, enum owner_kind kind)
{
	return (struct entry){
		.row = row,
		.name = kind < OWNER_KINDS ? view_owner(view, row, kind) : NULL,
		.user = kind < OWNER_KINDS ? groups_user_of(view, row, kind) : "",
	};
}

/*
 * Returns true if the memory of ONE is counted at a process of another group. If there are only two
 * sets, chosen and others, it is assumed to be in the same one.
 */
static bool groups_is_elsewhere(
	const struct view *view, const struct entry *one, enum owner_kind kind)
{
	const struct snapshot_process *read = groups_find(view, (pid_t)one->row->pid);
	struct entry other;

	if (!read || read == one->row)
		return false;
	other = entry_of(view, read, kind);
	other.is_chosen = one->is_chosen;
	return compare_groups(one, &other) != 0;
}

static size_t groups_list(
	const struct view *view, enum owner_kind kind, const bool *is_chosen, struct entry *to)
{
	uint32_t count = view_count(view, METRIC_PROCESS);
	size_t n = 0;

	for (uint32_t i = 0; i < count; i++) {
		const struct snapshot_process *row = view_process(view, i);

		if (!groups_has_memory(row))
			continue;
		to[n] = entry_of(view, row, kind);
		to[n].is_chosen = !is_chosen || is_chosen[i];
		to[n].is_elsewhere = groups_is_elsewhere(view, &to[n], kind);
		n++;
	}
	qsort(to, n, sizeof(*to), groups_compare);
	return n;
}

static void groups_add(struct groups *c, const struct entry *entry, const struct entry *before)
{
	const struct snapshot_process *row = entry->row;

	if (!before || compare_groups(before, entry) != 0)
		c->group[c->groups++] = (struct groups_group){
			.name = entry->name, .user = entry->user, .is_chosen = entry->is_chosen};
	c->group[c->groups - 1].processes++;
	c->group[c->groups - 1].elsewhere += entry->is_elsewhere;
	if (row->outcome == OUTCOME_SHARED_MM)
		return;
	c->member[c->members++] = (struct groups_member){
		.pid = (pid_t)row->pid,
		.group = c->groups - 1,
		.start_ns = ROW_HAS(row, PROCESS_START_TIME) ? row->q[PROCESS_START_TIME] : 0,
	};
}

int groups_make(
	const struct view *view, enum owner_kind kind, const bool *is_chosen, struct groups *ret)
{
	size_t most = (size_t)view_count(view, METRIC_PROCESS) + 1, count;
	AUTO_FREE struct entry *entry = calloc(most, sizeof(*entry));
	struct groups c = {
		.member = calloc(most, sizeof(*c.member)),
		.group = calloc(most, sizeof(*c.group)),
	};

	if (!entry || !c.member || !c.group) {
		groups_done(&c);
		return -ENOMEM;
	}
	count = groups_list(view, kind, is_chosen, entry);
	for (size_t i = 0; i < count; i++)
		groups_add(&c, &entry[i], i ? &entry[i - 1] : NULL);
	*ret = c;
	return 0;
}

const struct snapshot_process *groups_find(const struct view *view, pid_t pid)
{
	const struct snapshot_process *row = view_find_process(view, (uint32_t)pid);

	if (row && row->outcome == OUTCOME_SHARED_MM && row->mm_pid)
		row = view_find_process(view, row->mm_pid);
	return row && groups_has_memory(row) ? row : NULL;
}

/* A process that can be opened exists: it started after the snapshot was made. */
static int find_nothing(struct target *t, void *context)
{
	(void)t;
	(void)context;
	return TARGET_GONE;
}

/* Logs why process P, which was given, has no memory to count. */
static void groups_say_missing(const struct procfs *procfs, const struct pid_selection_process *p)
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
			groups_say_missing(procfs, &chosen->process[i]);
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

static bool groups_has_chosen(const struct groups *c)
{
	for (uint32_t i = 0; i < c->groups; i++)
		if (c->group[i].is_chosen)
			return true;
	return false;
}

int groups_choose(const struct inspection *a, const struct view *view, const struct procfs *procfs,
	struct groups *ret, bool *ret_has_failed)
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
	if (!groups_has_chosen(&groups))
		return GROUPS_NONE;
	mark_members(view, is_named, &groups);
	*ret = groups;
	groups = (struct groups){0};
	*ret_has_failed = has_failed;
	return 0;
}
