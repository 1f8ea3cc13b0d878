/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "cli/sharingcrowd.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "inside/target.h"

/* PID was named, and has no memory that anything could be told of. */
static void say_missing(const struct procfs *procfs, pid_t pid)
{
	AUTO_TARGET struct target t = {.process.dirfd = -1, .process.file_fd = -1};
	int r = target_open(procfs, pid, &t);

	if (r < 0)
		log_error("pid %d can't be read: %s", (int)pid, strerror(-r));
	else
		/* Where it is there it came after all were listed. */
		log_error("pid %d %s", (int)pid,
			target_text(r ? (enum target_outcome)r : TARGET_GONE));
}

/* Marks the rows of those who are named; true: one is not there, which is no failure of the others'. */
static bool mark_named(const struct chosen *chosen, const struct view *view,
	const struct procfs *procfs, bool *is_chosen)
{
	uint32_t count = view_count(view, METRIC_PROCESS);
	bool has_failed = false;

	for (size_t i = 0; i < chosen->count; i++) {
		const struct snapshot_process *row = crowd_find(view, chosen->process[i].pid);

		if (!row) {
			say_missing(procfs, chosen->process[i].pid);
			has_failed = true;
			continue;
		}
		for (uint32_t k = 0; k < count; k++)
			if (view_process(view, k) == row)
				is_chosen[k] = true;
	}
	return has_failed;
}

static int mark_found(const struct chosen *chosen, const struct view *view, bool *is_chosen)
{
	AUTO_FREE uint32_t *rows = NULL;
	size_t count = 0;
	int r = chosen->has_filters ? query_run(&chosen->selection.query, view, &rows, &count) : 0;

	/* One that shares an address space is walked at whom that is, who need not match. */
	for (size_t i = 0; r == 0 && i < count; i++) {
		const struct snapshot_process *row = view_process(view, rows[i]);
		const struct snapshot_process *read = crowd_find(view, (pid_t)row->pid);

		is_chosen[rows[i]] = true;
		for (uint32_t k = 0; read && read != row && k < view_count(view, METRIC_PROCESS);
			k++)
			if (view_process(view, k) == read)
				is_chosen[k] = true;
	}
	return r;
}

static bool is_anybody_chosen(const struct crowd *c)
{
	for (uint32_t i = 0; i < c->groups; i++)
		if (c->group[i].is_chosen)
			return true;
	return false;
}

int sharing_crowd_make(const struct sharing_asked *a, const struct view *view,
	const struct procfs *procfs, struct crowd *ret, bool *ret_has_failed)
{
	AUTO_FREE bool *is_chosen = calloc(
		(size_t)view_count(view, METRIC_PROCESS) + 1, sizeof(*is_chosen));
	AUTO_CROWD struct crowd crowd = {0};
	bool has_failed;
	int r;

	if (!is_chosen)
		return -ENOMEM;
	has_failed = mark_named(&a->chosen, view, procfs, is_chosen);
	r = mark_found(&a->chosen, view, is_chosen);
	if (r == 0)
		r = crowd_make(
			view, a->kind, chosen_is_some(&a->chosen) ? is_chosen : NULL, &crowd);
	if (r < 0)
		return r;
	if (!is_anybody_chosen(&crowd)) {
		/* Of each who was named it has been said why. */
		if (a->chosen.has_filters || !a->chosen.count)
			log_error("nothing matches: there is no process with memory for that");
		return -ECANCELED;
	}
	*ret = crowd;
	crowd = (struct crowd){0};
	*ret_has_failed = has_failed;
	return 0;
}
