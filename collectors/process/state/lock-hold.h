/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Holds: how long memtallyd's reads have kept processes waiting.
 *
 * While the kernel walks page tables it holds the address-space lock, and the process's mmap,
 * munmap and brk wait. The kernel takes and releases the lock within read(), so the wall-clock time
 * of read() is an upper bound. It is not CPU time: a reader that waits for a CPU while it has the
 * lock keeps the process waiting, too. The time also includes waiting for the lock, and work
 * without the lock.
 */
#ifndef MEMTALLY_COLLECTORS_PROCESS_STATE_LOCK_HOLD_H
#define MEMTALLY_COLLECTORS_PROCESS_STATE_LOCK_HOLD_H

#include <stdint.h>

#include "snapshot/record.h"

/* Counts since the start. Zeroed: none yet. */
struct lock_hold {
	uint64_t limit_ns;               /* the longest hold that is allowed; 0: no limit */
	uint64_t above;                  /* holds that were longer than .limit_ns */
	struct snapshot_histogram times; /* all fields but .id */
};

/* Counts one hold of NS. Reads that follow each other without a pause are one hold. */
void lock_hold_add(struct lock_hold *h, uint64_t ns);

#endif
