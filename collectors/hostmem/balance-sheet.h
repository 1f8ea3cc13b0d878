/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The arithmetic of the host's balance sheet: the PSS of processes, and the kernel's counters of
 * other memory. A line is absent if its figure is not known. The residual is MemTotal less all
 * lines, and may be negative. Pure.
 */
#ifndef MEMTALLY_COLLECTORS_HOSTMEM_BALANCE_SHEET_H
#define MEMTALLY_COLLECTORS_HOSTMEM_BALANCE_SHEET_H

#include <stdbool.h>
#include <stdint.h>

#include "collectors/process/state/driver.h"
#include "collectors/procfs/host/meminfo.h"
#include "collectors/procfs/host/vmstat.h"
#include "snapshot/record.h"
#include "snapshot/sums.h"

/* The PSS of all processes by its parts, each byte in one of them. Zeroed: none. */
struct balance_sheet_processes {
	uint64_t anon, file, shmem;
	uint64_t unsplit;       /* PSS of processes with unknown parts */
	uint64_t unsplit_shmem; /* the part of .unsplit that is likely to be shared memory */
	bool has_unsplit;       /* there are such processes */
	/* its .pss is in none of the fields above, its .unread is in .file and .unsplit */
	struct driver_amounts driver;
};

/* Adds ROW, which must have a PSS and stand for its address space. Its PSS contains DRIVER. */
void balance_sheet_add(struct balance_sheet_processes *p, const struct snapshot_process *row,
	const struct driver_amounts *driver);

/* Input of the sheet. */
struct balance_sheet_sources {
	/* .meminfo, .vmstat and .list_pages should be of one moment */
	const struct meminfo *meminfo;
	const struct vmstat *vmstat;
	bool has_lists;
	uint64_t list_pages; /* pages on free lists of single CPUs, valid if .has_lists is set */
	uint64_t page_bytes;
	const struct balance_sheet_processes *processes;
	bool lacks_drivers;      /* drivers' memory is never read: all of it is in .unread */
	const struct sums *host; /* after sums_end() */
	bool has_sysv;
	uint64_t sysv_unattached_bytes, sysv_swap_bytes;
	bool has_tmpfs;
	uint64_t tmpfs_bytes; /* of files with known owners */
	uint64_t tmpfs_unread, directories_unread;
};

/* Computes all lines of the sheet for which S has figures, and the residual. */
void balance_sheet_make(const struct balance_sheet_sources *s, struct snapshot_balance *ret);

#endif
