/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The address spaces that were looked into, so that one that several processes share (CLONE_VM without CLONE_THREAD, vfork)
 * is told once. Only kcmp(KCMP_VM) tells; it also orders them, so that finding one among many takes few calls. Pure, but for
 * what compares.
 */
#ifndef MEMTALLY_INSIDE_SPACES_H
#define MEMTALLY_INSIDE_SPACES_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/cleanup.h"
#include "collectors/sharing.h"
#include "collectors/stat.h"

struct space {
	uint64_t start_code,
		start_stack; /* the same for all who share one, and for those who were forked */
	pid_t pid;
};

struct spaces {
	sharing_compare *compare; /* set by the owner; NULL: pids mean nothing, and all are new */
	struct space *item;       /* owned; by these, then as .compare orders them */
	size_t count, room;
};

void spaces_done(struct spaces *s);
#define AUTO_SPACES CLEANUP(spaces_done)

/* Adds that of PID, which has STAT. 0; SPACES_KNOWN: another process has it, too; -ENOMEM. */
enum { SPACES_KNOWN = 1 };
int spaces_add(struct spaces *s, pid_t pid, const struct stat_info *stat);

#endif
