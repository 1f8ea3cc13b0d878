/* SPDX-License-Identifier: Apache-2.0 */
/*
 * All processes are read (inspect/frames/frame-mappers.h), unless the pages of one set of processes
 * are asked for. Then only the set is read, and pages that other processes map show in the kernel's
 * map counts. The kernel has no such count for places in swap and for shared memory in no page
 * table: if the set has some of these, all other processes are read, too.
 */
#include "config.h"

#include "cli/sharing/sharing-walk.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "cli/common/command.h"
#include "cli/common/each-process.h"
#include "cli/common/reading/supervisor.h"

void sharing_walk_done(struct sharing_walk *w)
{
	progress_end(&w->progress);
	procfs_close(&w->procfs);
	groups_done(&w->groups);
	free(w->tally);
	frame_mappers_done(&w->mappers);
}

static void show_progress(void *context)
{
	struct sharing_walk *w = context;

	progress_tick(&w->progress, w->mappers.mapped * (uint64_t)sysconf(_SC_PAGESIZE));
}

int sharing_walk_open(struct sharing_walk *w, const struct inspection *options)
{
	const struct settings *settings = options->settings;
	const char *what;
	int r;

	*w = (struct sharing_walk){.options = options,
		.procfs.fd = -1,
		.mappers.kpage = {.counts = -1, .flags = -1},
		.begin_ns = clock_now_ns(CLOCK_MONOTONIC)};
	r = procfs_open(settings->path_procfs, &w->procfs);
	if (r < 0) {
		command_say_unreadable(settings, r);
		return -ECANCELED;
	}
	r = frame_mappers_open(&w->mappers, w->procfs.fd, &what);
	if (r == 0) {
		w->mappers.tick = show_progress;
		w->mappers.unmapped.shield = supervisor_try;
		w->mappers.context = w;
		return 0;
	}
	if (r == FRAME_MAPPERS_NO_FRAMES)
		log_error(
			"run memtally sharing as root: the kernel shows page frames only with CAP_SYS_ADMIN "
			"in the host's first user namespace");
	else
		log_error("%s: %s", what, strerror(-r));
	return -ECANCELED;
}

/* Counts the result R of reading MEMBER. Returns 0, or an error that ends the scan. */
static int sharing_walk_note(struct sharing_walk *w, const struct groups_member *member, int r)
{
	const struct groups_group *group = &w->groups.group[member->group];
	struct sharing_tally *tally = &w->tally[member->group];

	if (r == -ENOMEM || r == -ERANGE)
		return r;
	if (r == 0) {
		w->statistics.read++;
		tally->read++;
		return 0;
	}
	if (r == TARGET_GONE || r == TARGET_ENDED || r == TARGET_CHANGED) {
		w->statistics.ended++;
		tally->ended++;
		if (!member->is_named) /* without a given pid, an exit is no failure */
			return 0;
	} else {
		w->statistics.refused++;
		if (r == TARGET_BLOCKED)
			tally->blocked++;
		else
			tally->denied++;
		w->refused = member->pid;
	}
	if (!group->is_chosen || !pid_selection_is_some(&w->options->chosen))
		return 0;
	w->has_failed = true;
	progress_end(&w->progress);
	log_error("pid %d %s%s", (int)member->pid, r < 0 ? "cannot be read: " : "",
		r < 0 ? strerror(-r) : target_text((enum target_outcome)r));
	return 0;
}

struct walking {
	struct sharing_walk *walk;
	const struct groups_member *member;
};

static int sharing_walk_look_at(struct target *t, void *context)
{
	const struct walking *walking = context;
	struct sharing_walk *w = walking->walk;
	uint32_t group = walking->member->group;
	int r = frame_mappers_take(&w->mappers, t, group);

	if (r == 0 && ROW_HAS(&t->sample, PROCESS_VM_PTE))
		w->tally[group].page_tables += t->sample.q[PROCESS_VM_PTE];
	return r;
}

/* Calls WORK for MEMBER. Skips a process that is known to block, and logs one that is found to. */
static int try_member(
	struct sharing_walk *w, const struct groups_member *member, each_process_work work)
{
	const struct pid_selection_process process = {
		.pid = member->pid, .start_ns = member->start_ns};
	struct walking walking = {.walk = w, .member = member};
	int r = each_process_try(&w->procfs, &process, work, &walking);

	if (r == TARGET_BLOCKED) {
		progress_end(&w->progress);
		supervisor_say();
	}
	return r;
}

static int walk_member(struct sharing_walk *w, const struct groups_member *member)
{
	int r = try_member(w, member, sharing_walk_look_at);

	w->progress.done++;
	return sharing_walk_note(w, member, r);
}

/* Reads the open files of a process that was walked before. */
static int sharing_walk_hold(struct target *t, void *context)
{
	const struct walking *walking = context;

	return frame_mappers_hold(&walking->walk->mappers, t, walking->member->group);
}

/*
 * A process that can no longer be read holds nothing, as far as memtally can see. Returns 0 or
 * -ENOMEM.
 */
static int hold_member(struct sharing_walk *w, const struct groups_member *member)
{
	int r = try_member(w, member, sharing_walk_hold);

	return r == -ENOMEM ? r : 0;
}

/* If a set was asked for, frame_mappers_take() has asked the other processes. */
static int hold_all(struct sharing_walk *w)
{
	int r = 0;

	if (sharing_options_is_set(w->options))
		return 0;
	for (size_t i = 0;
		r == 0 && i < w->groups.members && frame_mappers_seeks_holders(&w->mappers); i++)
		r = hold_member(w, &w->groups.member[i]);
	return r;
}

static int walk_all(struct sharing_walk *w)
{
	size_t i = 0;
	int r = 0;

	progress_begin(&w->progress, "reading", w->groups.members);
	for (; r == 0 && i < w->groups.members; i++) {
		if (sharing_options_is_set(w->options) &&
			!w->groups.group[w->groups.member[i].group].is_chosen)
			break;
		r = walk_member(w, &w->groups.member[i]);
	}
	if (r == 0)
		r = frame_mappers_seek(&w->mappers);
	for (; r == 0 && frame_mappers_is_seeking(&w->mappers) && i < w->groups.members; i++)
		r = walk_member(w, &w->groups.member[i]);
	return r == 0 ? hold_all(w) : r;
}

int sharing_walk_all(struct sharing_walk *w)
{
	int r;

	w->tally = calloc((size_t)w->groups.groups + 1, sizeof(*w->tally));
	if (!w->tally)
		return -ENOMEM;
	r = walk_all(w);
	w->progress.what = "counting";
	if (r == 0)
		r = frame_mappers_count(&w->mappers, w->groups.groups);
	progress_end(&w->progress);
	if (r < 0)
		return r;
	w->statistics.span_ns = clock_now_ns(CLOCK_MONOTONIC) - w->begin_ns;
	w->statistics.cpu_ns = clock_now_ns(CLOCK_PROCESS_CPUTIME_ID);
	w->statistics.memory_bytes = frame_mappers_bytes(&w->mappers);
	return 0;
}

bool sharing_walk_tells_swap(const struct sharing_walk *w)
{
	return !w->refused && w->procfs.is_whole;
}
