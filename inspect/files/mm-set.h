/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Address Spaces
 *
 * The address spaces that were read, so that one that several processes share (CLONE_VM without
 * CLONE_THREAD, vfork) is read once. Only kcmp(KCMP_VM) tells whether two processes share one. It
 * also orders address spaces, so a search takes few calls. Pure, except for .compare.
 */
#ifndef MEMTALLY_INSPECT_FILES_MM_SET_H
#define MEMTALLY_INSPECT_FILES_MM_SET_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/cleanup.h"
#include "collectors/process/shared-mm.h"
#include "collectors/procfs/stat.h"

struct space {
	/* Equal in processes that share an address space, and after a fork. */
	uint64_t start_code, start_stack;
	pid_t pid;
};

struct mm_set {
	/* Set by the owner; NULL: pids cannot be compared, and each address space counts as new. */
	shared_mm_compare *compare;
	struct space *item; /* owned; sorted by .start_code, .start_stack and .compare */
	size_t count, room;
};

/* Frees what S owns, and empties it. */
void mm_set_done(struct mm_set *s);
#define AUTO_MM_SET CLEANUP(mm_set_done)

/*
 * Adds the address space of process PID with STAT. Returns 0: it is new, or the process has exited
 * and cannot be compared; MM_SET_KNOWN: a process that was added before shares it; or -ENOMEM.
 */
enum { MM_SET_KNOWN = 1 };
int mm_set_add(struct mm_set *s, pid_t pid, const struct stat_info *stat);

#endif
