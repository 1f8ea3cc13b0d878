/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How long our reads have held processes up. While page tables are walked the kernel holds the lock of the address
 * space, and the process's mmap, munmap and brk wait. The lock is taken and given back within read(), so the time from
 * just before it until just after bounds the hold. It is the time of a clock, not of CPU: a reader that has to wait for
 * a processor while it has the lock keeps the process waiting all the same. In it is also what is no hold: waiting for
 * the lock, and what the kernel does with the lock given back.
 */
#ifndef MEMTALLY_COLLECTORS_HOLDS_H
#define MEMTALLY_COLLECTORS_HOLDS_H

#include <stdint.h>

#include "snapshot/record.h"

/* Starts zeroed. Counts since the start. */
struct holds {
	uint64_t limit_ns; /* the longest hold that is allowed; 0: none is asked for */
	uint64_t above;    /* holds that were longer */
	struct snapshot_histogram times; /* but for its .id */
};

/* One hold of NS: reads that follow each other without a pause are one. */
void holds_add(struct holds *h, uint64_t ns);

#endif
