/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The arithmetic of the host's balance sheet: what the kernel counts of its memory beside what processes have. Each
 * line is there if it can be had; what no line has is the residual, with its sign. Pure.
 */
#ifndef MEMTALLY_COLLECTORS_SHEET_H
#define MEMTALLY_COLLECTORS_SHEET_H

#include <stdbool.h>
#include <stdint.h>

#include "collectors/meminfo.h"
#include "collectors/vmstat.h"
#include "snapshot/record.h"
#include "snapshot/sums.h"

/* The PSS of all processes by its parts, in bytes. Starts zeroed. */
struct sheet_processes {
	uint64_t anon, file, shmem;
	uint64_t unsplit;       /* of those of whom the parts are not known */
	uint64_t unsplit_shmem; /* what of that is likely to be shared memory */
	bool has_unsplit;       /* there are any */
};

/* Adds ROW, of a member. */
void sheet_add(struct sheet_processes *p, const struct snapshot_process *row);

/* What the sheet is made of. */
struct sheet_sources {
	const struct meminfo *meminfo; /* of one moment, as are the next two: */
	const struct vmstat *vmstat;
	bool has_lists;
	uint64_t list_pages; /* on free lists of single CPUs */
	uint64_t page_bytes;
	const struct sheet_processes *processes;
	const struct sums *host; /* ended */
	bool has_sysv;
	uint64_t sysv_unattached_bytes, sysv_swap_bytes;
	bool has_tmpfs;
	uint64_t tmpfs_bytes; /* of files whose owners are known */
	uint64_t tmpfs_unread, directories_unread;
};

void sheet_make(const struct sheet_sources *s, struct snapshot_balance *ret);

#endif
