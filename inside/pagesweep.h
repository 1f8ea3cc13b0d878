/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Goes over all pages of a process that are there or swapped: by its maps and its pagemap (pagemap.h).
 *
 * Nobody waits for long: each call holds the lock of the address space for what 32 MiB of pages take at most, or the page
 * tables of a GiB that is nearly empty, half a millisecond, and one that reads frames for 2 MiB; after a millisecond of such calls there is a pause of as much, in which whoever waits for that
 * lock gets it. Address space that nothing is in, of which a process may have terabytes, is passed over by an ioctl of
 * pagemap's (Linux 6.7), or read and found empty, one or two microseconds for 2 MiB.
 */
#ifndef MEMTALLY_INSIDE_PAGESWEEP_H
#define MEMTALLY_INSIDE_PAGESWEEP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "inside/mapping.h"

enum { PAGESWEEP_ENTRIES = 512 };

/*
 * Called for COUNT pages from the address START on, PAGESWEEP_ENTRIES at most, of which some are there or swapped. Anything but
 * 0 ends the walk, and is returned.
 */
typedef int (*pagesweep_taker)(uint64_t start, const uint64_t *entry, size_t count, void *context);

struct pagesweep {
	pagesweep_taker take;
	mapping_taker
		see; /* called for each mapping before any page is taken; its context is .context, too; NULL: nobody wants to know */
	void *context;
	bool swapped_alone; /* pages that are there are of no interest, and may be left out */
	bool cannot_scan;   /* the kernel has no such ioctl; found out */
	uint64_t slice_ns;  /* CLOCK_MONOTONIC at which the last pause ended */
};

/*
 * The process whose maps and pagemap have been opened; or its smaps in place of maps, by which what has no page is passed over
 * whatever the kernel, but whoever has it read is kept waiting by each mapping for as long as the kernel takes for all of it. A
 * PAGEMAP_FD of -1: mappings are seen, and no pages. 0: as far as its address space goes by now, which ends with it without
 * a word; -EBADMSG: its maps are none; the taker's; errors of read.
 */
int pagesweep_read(struct pagesweep *w, int maps_fd, int pagemap_fd);

#endif
