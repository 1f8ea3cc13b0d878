/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Drivers' memory: pages that a driver or another part of the kernel maps into processes, such as
 * packet rings and BPF arrays. The kernel counts them in Mapped, RssFile and Pss_File, but not in
 * Cached: they are no page cache. Only smaps tells them from files (inspect/pages/drivermemory.h).
 * This module decides when a process's smaps is read for them, and keeps the result. Pure.
 */
#ifndef MEMTALLY_COLLECTORS_PROCESS_STATE_DRIVER_H
#define MEMTALLY_COLLECTORS_PROCESS_STATE_DRIVER_H

#include <stdbool.h>
#include <stdint.h>

#include "snapshot/record.h"

/* The drivers' memory of one process. Zeroed: its smaps was never read. */
struct driver_share {
	/* CLOCK_BOOTTIME: smaps is not read again before this time */
	uint64_t next_ns : 63;
	bool is_wanted : 1;   /* smaps should be read */
	uint32_t pss_kib;     /* KiB, at the last reading */
	uint32_t vmalloc_kib; /* KiB, the part of .pss_kib that VmallocUsed counts, too */
	uint32_t file_kib;    /* RssFile at the last reading of smaps, KiB */
	uint32_t seen_kib;    /* RssFile in the last pass, KiB */
};

/* Parts of the PSS of a row, in bytes. */
struct driver_amounts {
	uint64_t pss;
	uint64_t vmalloc; /* part of .pss that VmallocUsed counts, too */
	/* growth of RssFile since the last reading: may be drivers' memory, too */
	uint64_t unread;
};

/*
 * Returns by how many bytes RssFile must change before smaps is read again: a 2048th of TOTAL, at
 * least 1 MiB. TOTAL is the host's memory in bytes, 0 if unknown. Smaller growth causes no reading,
 * but counts in driver_amounts.unread.
 */
uint64_t driver_threshold(uint64_t total);

/*
 * Sets D->is_wanted from ROW, the row that a pass at NOW_NS (CLOCK_BOOTTIME) has made for D's
 * process. THRESHOLD is driver_threshold()'s, in bytes. smaps is wanted if RssFile has changed by
 * THRESHOLD since the last reading. If there is drivers' memory, smaps is also wanted once a
 * minute, since sharers come and go.
 */
void driver_see(struct driver_share *d, const struct snapshot_process *row, uint64_t threshold,
	uint64_t now_ns);

/*
 * Returns the amounts in the PSS of ROW, which must have one. No amount exceeds ROW's Pss_File, or
 * its PSS if the parts of PSS are absent. All growth of RssFile since the last reading is unread.
 */
struct driver_amounts driver_amounts(
	const struct driver_share *d, const struct snapshot_process *row);

/*
 * Notes the result of a reading at NOW_NS (CLOCK_BOOTTIME): PSS bytes of drivers' memory, of which
 * VMALLOC bytes are vmalloc'ed.
 */
void driver_found(struct driver_share *d, uint64_t pss, uint64_t vmalloc, uint64_t now_ns);

/* Returns by how many bytes RssFile has changed since the last reading, up or down. */
uint64_t driver_moved(const struct driver_share *d);

/*
 * Notes that a reading of smaps begins at NOW_NS. If driver_found() does not follow, the next
 * reading is due after a minute.
 */
void driver_asked(struct driver_share *d, uint64_t now_ns);

/*
 * Notes at NOW_NS that smaps could not be read: the process is too large to be read in one piece,
 * or was not measured yet. The next reading is due after ten seconds.
 */
void driver_deferred(struct driver_share *d, uint64_t now_ns);

#endif
