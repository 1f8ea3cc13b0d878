/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The processes of a snapshot, by groups: of whom each is, and whether somebody asks for it. Pure.
 */
#ifndef MEMTALLY_CLI_CROWD_H
#define MEMTALLY_CLI_CROWD_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/cleanup.h"
#include "snapshot/view.h"

/* One address space. */
struct crowd_member {
	pid_t pid;
	uint32_t group;
	uint64_t start_ns; /* as PROCESS_START_TIME has it; 0: not known */
	bool is_named; /* its pid was given, or that of a process that is counted at it; set by the caller of crowd_make() */
};

struct crowd_group {
	const char *name; /* the view's, or NULL of those that are together whoever's they are */
	const char *
		user; /* whose own it is, as its row has it: two users' units may be called the same; "": nobody's */
	bool is_chosen;
	uint32_t processes; /* those that share an address space with another, too */
	uint32_t
		elsewhere; /* of these who share one with a process of another group, at which it is counted */
};

struct crowd {
	struct crowd_member *member; /* owned; by group, those who are chosen first */
	size_t members;
	struct crowd_group *group; /* owned */
	uint32_t groups;
};

void crowd_done(struct crowd *c);
#define AUTO_CROWD CLEANUP(crowd_done)

/*
 * Groups of KIND; or, OWNER_KINDS, two at most: those who are chosen, and the others. IS_CHOSEN says of each row of
 * processes whether it is: each kind's groups are those of the ones and of the others. NULL: all are. -ENOMEM.
 */
int crowd_make(
	const struct view *view, enum owner_kind kind, const bool *is_chosen, struct crowd *ret);

/*
 * The row of process PID, or of whom its address space is counted at. NULL: there is no such process, or it has no memory.
 */
const struct snapshot_process *crowd_find(const struct view *view, pid_t pid);

#endif
