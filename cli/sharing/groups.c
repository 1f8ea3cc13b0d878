/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "cli/sharing/groups.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

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
