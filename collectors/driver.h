/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Drivers' memory: pages that a driver or another part of the kernel maps into processes, such as packet rings and BPF
 * arrays. The kernel counts them in Mapped, RssFile and Pss_File, but not in Cached: they are no page cache. Only smaps tells them
 * from files (inside/drivermemory.h). This module decides when to read it, and keeps the result for each process. Pure.
 */
#ifndef MEMTALLY_COLLECTORS_DRIVER_H
#define MEMTALLY_COLLECTORS_DRIVER_H

#include <stdbool.h>
#include <stdint.h>

#include "snapshot/record.h"

/* The drivers' memory of one process. All zeros: its mappings were never read. */
struct driver_share {
	uint64_t next_ns;     /* CLOCK_BOOTTIME: smaps is not read again before */
	uint32_t pss_kib;     /* as read last */
	uint32_t vmalloc_kib; /* part of it that VmallocUsed counts, too */
	uint32_t file_kib;    /* RssFile when smaps was read last */
	uint32_t seen_kib;    /* RssFile in the last pass */
	bool is_wanted;       /* its smaps should be read */
};

/* Parts of a row's PSS, in bytes. */
struct driver_amounts {
	uint64_t pss;
	uint64_t vmalloc; /* part of .pss */
	uint64_t unread;  /* may be drivers' memory, too */
};

/*
 * Returns by how many bytes RssFile must move until smaps is read again, on a host of TOTAL bytes (0: unknown): a 2048th
 * of it, at least 1 MiB. Less growth than that is not read, but it is in driver_amounts.unread all the same.
 */
uint64_t driver_threshold(uint64_t total);

/*
 * A pass at NOW_NS (CLOCK_BOOTTIME) has published ROW of the process of D: sets D->is_wanted. THRESHOLD is
 * driver_threshold()'s. smaps is wanted if RssFile has moved by THRESHOLD since the last reading, and once a minute if
 * there is drivers' memory, since sharers come and go.
 */
void driver_see(struct driver_share *d, const struct snapshot_process *row, uint64_t threshold,
	uint64_t now_ns);

/*
 * Returns the amounts in the PSS of ROW, which has one. No amount is more than its Pss_File, or than its PSS if it has no
 * parts. All growth of RssFile since the last reading is unread.
 */
struct driver_amounts driver_amounts(
	const struct driver_share *d, const struct snapshot_process *row);

/* smaps was read at NOW_NS and has PSS bytes of drivers' memory, VMALLOC of them vmalloc'ed. */
void driver_found(struct driver_share *d, uint64_t pss, uint64_t vmalloc, uint64_t now_ns);

/* Returns by how many bytes RssFile has moved since the last reading, up or down. */
uint64_t driver_moved(const struct driver_share *d);

/* The reading of smaps begins at NOW_NS. If driver_found() does not follow, it is tried again after a minute. */
void driver_asked(struct driver_share *d, uint64_t now_ns);

/* At NOW_NS the process was too large to read smaps in one piece, or not measured yet: it is tried again after ten seconds. */
void driver_deferred(struct driver_share *d, uint64_t now_ns);

#endif
