/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Page Sweep
 *
 * Reads all resident and swapped pages of a process, by its maps and its pagemap
 * (inspect/pages/pagemap.h).
 *
 * A call holds the lock of the address space for at most 32 MiB of pages, or the page tables of a
 * nearly empty GiB (half a millisecond); a call that reads frames, for 2 MiB. After one millisecond
 * of calls there is a pause of the same length for others that wait for the lock. Empty address
 * space, of which a process may have terabytes, is skipped by PAGEMAP_SCAN (Linux 6.7), or read and
 * found empty in one or two microseconds for each 2 MiB.
 */
#ifndef MEMTALLY_INSPECT_PAGES_PAGESWEEP_H
#define MEMTALLY_INSPECT_PAGES_PAGESWEEP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "inspect/maps/mapping.h"

enum { PAGESWEEP_ENTRIES = 512 };

/*
 * Called for COUNT pages, at most PAGESWEEP_ENTRIES, from address START on; some of them are
 * resident or swapped. ENTRY: pagemap entries. A result other than 0 ends the reading, and is
 * returned.
 */
typedef int (*pagesweep_taker)(uint64_t start, const uint64_t *entry, size_t count, void *context);

struct pagesweep {
	pagesweep_taker take;
	/* Called for each mapping, before .take; both get .context. NULL: not called. */
	mapping_taker see;
	void *context;
	bool swapped_alone; /* only swapped pages are needed: resident ones may be left out */
	bool cannot_scan;   /* the kernel has no PAGEMAP_SCAN; set by pagesweep_read() */
	uint64_t slice_ns;  /* end of the last pause, CLOCK_MONOTONIC */
};

/*
 * Reads the pages of the process with the open files MAPS_FD and PAGEMAP_FD. PAGEMAP_FD of -1: only
 * .see is called. MAPS_FD may be its smaps instead of maps: then mappings without pages are skipped
 * on any kernel, but each mapping keeps the process waiting while the kernel walks it.
 *
 * Returns 0, also if the address space ends during the reading (confirm it with target_end());
 * -EBADMSG: MAPS_FD has no maps; -ENOMEM; a result of .take or .see; or a negative errno of read(),
 * such as -ESRCH if the address space is gone (Linux 6.18).
 */
int pagesweep_read(struct pagesweep *w, int maps_fd, int pagemap_fd);

#endif
