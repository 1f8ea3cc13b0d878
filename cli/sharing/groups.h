/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Groups of processes
 *
 * The processes of a snapshot by group (users, programs, units ...), for `memtally sharing`.
 */
#ifndef MEMTALLY_CLI_SHARING_GROUPS_H
#define MEMTALLY_CLI_SHARING_GROUPS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/cleanup.h"
#include "cli/common/inspection.h"
#include "collectors/procfs/procfs.h"
#include "snapshot/view.h"

/* An address space, by the process that the snapshot counts it at. */
struct groups_member {
	pid_t pid;
	uint32_t group;
	uint64_t start_ns; /* as PROCESS_START_TIME, ns since 1970; 0: not known */
	/*
	 * its pid, or that of a process that is counted at it, was given; groups_choose() sets it
	 */
	bool is_named;
};

struct groups_group {
	/* text of the view; NULL: a set of processes, not an owner */
	const char *name;
	/*
	 * text of the view: the user whom the owner belongs to, since units of two users may have
	 * one name; "": none
	 */
	const char *user;
	bool is_chosen;
	uint32_t processes; /* including those that share an address space with another */
	/* the part of .processes that is counted in another group with its address space */
	uint32_t elsewhere;
};

struct groups {
	struct groups_member *member; /* owned; by group, chosen groups first, then by pid */
	size_t members;
	struct groups_group *group; /* owned */
	uint32_t groups;
};

/* Frees what C owns, and zeroes it. */
void groups_done(struct groups *c);
#define AUTO_GROUPS CLEANUP(groups_done)

/*
 * Groups the processes of VIEW by owner of KIND; if KIND is OWNER_KINDS, into two groups at most:
 * chosen processes and others. IS_CHOSEN has a flag for each row of processes; NULL: all are
 * chosen. An owner with both chosen and other processes has two groups. *RET borrows texts of VIEW;
 * groups_done() frees it. Returns 0 or -ENOMEM. Pure.
 */
int groups_make(
	const struct view *view, enum owner_kind kind, const bool *is_chosen, struct groups *ret);

/*
 * Returns the row of process PID or, if that shares an address space with another, of the process
 * it is counted at. Returns NULL if there is no such process or it has no memory.
 */
const struct snapshot_process *groups_find(const struct view *view, pid_t pid);

enum groups_outcome {
	GROUPS_NONE = 1, /* no process is left */
};

/*
 * Groups the processes of VIEW as A asks, in *RET, which the caller frees with groups_done(). For
 * each given pid that VIEW does not have, or that has no memory, logs the reason, which it looks up
 * in PROCFS; *RET_HAS_FAILED is true if there was one. Returns 0; GROUPS_NONE; -ENOMEM; or
 * another error of the query. Sets nothing but on 0.
 */
int groups_choose(const struct inspection *a, const struct view *view, const struct procfs *procfs,
	struct groups *ret, bool *ret_has_failed);

#endif
