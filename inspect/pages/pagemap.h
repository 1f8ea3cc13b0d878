/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Page Map
 *
 * Reads and scans /proc/PID/pagemap: 64 bits for each page of an address space
 * (Documentation/admin-guide/mm/pagemap.rst).
 *
 * The kernel walks 2 MiB of addresses at a time and releases its lock in between (pagemap_read() in
 * fs/proc/task_mmu.c), so a read keeps the process waiting for at most 512 pages. Frames and places
 * in swap are shown only to readers with CAP_SYS_ADMIN (Linux 4.2); others see 0. The other bits
 * are shown to every reader that can open the file: it needs the right to ptrace the process, and
 * must be its user or override file permissions.
 */
#ifndef MEMTALLY_INSPECT_PAGES_PAGEMAP_H
#define MEMTALLY_INSPECT_PAGES_PAGEMAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PAGEMAP_PRESENT (UINT64_C(1) << 63)
#define PAGEMAP_SWAPPED (UINT64_C(1) << 62)
#define PAGEMAP_FILE    (UINT64_C(1) << 61) /* page of a file or shared memory; Linux 3.5 */
/*
 * This is the only mapping of the page. Linux 4.2; inexact for large folios without
 * CONFIG_PAGE_MAPCOUNT.
 */
#define PAGEMAP_EXCLUSIVE  (UINT64_C(1) << 56)
#define PAGEMAP_GUARD      (UINT64_C(1) << 58) /* MADV_GUARD_INSTALL; Linux 6.15 */
#define PAGEMAP_FRAME_BITS 55

/* Categories of pages in a scan: PAGE_IS_PFNZERO and others of linux/fs.h, Linux 6.7. */
#define PAGEMAP_IS_FILE    (UINT64_C(1) << 2)
#define PAGEMAP_IS_PRESENT (UINT64_C(1) << 3)
#define PAGEMAP_IS_SWAPPED (UINT64_C(1) << 4)
#define PAGEMAP_IS_ZERO    (UINT64_C(1) << 5) /* the zero page, or the huge one */
#define PAGEMAP_IS_HUGE    (UINT64_C(1) << 6) /* mapped by one entry for a whole huge page */

/* Returns the frame number of the page; 0: it is not present, or frames are not shown. */
static inline uint64_t pagemap_frame(uint64_t entry)
{
	return entry & PAGEMAP_PRESENT ? entry & ((UINT64_C(1) << PAGEMAP_FRAME_BITS) - 1) : 0;
}

/*
 * Returns the place in swap: the number of the swap area in the low 5 bits, the offset above; 0:
 * the page is not swapped, or places are not shown.
 *
 * Pages under migration, poisoned pages and markers (guard pages) look swapped, too, with the
 * highest of the 32 area numbers: from 23 on, or from a higher one in kernels built without some of
 * these (MAX_SWAPFILES in linux/swap.h).
 */
static inline uint64_t pagemap_swap(uint64_t entry)
{
	const uint64_t type = entry & 31, special_min = 23;

	return entry & PAGEMAP_SWAPPED && type < special_min
	               ? entry & ((UINT64_C(1) << PAGEMAP_FRAME_BITS) - 1)
	               : 0;
}

/*
 * Reads the entries of at most COUNT pages from address START on. FD is an open pagemap. Returns 0,
 * and the number of entries in *RET_COUNT: 0 if the address space is gone or ends before START; or
 * a negative errno of read(): -ESRCH if the address space is gone (Linux 6.18).
 */
int pagemap_read(int fd, uint64_t start, uint64_t *entry, size_t count, size_t *ret_count);

/* A range of pages with the same categories. */
struct pagemap_region {
	uint64_t start, end;
	uint64_t categories;
};

/* The pages that a scan matches, by PAGEMAP_IS_*. */
struct pagemap_wanted {
	uint64_t all_of, none_of; /* a page must have all of .all_of and none of .none_of */
	uint64_t any_of;          /* at least one of these; 0: no condition */
	uint64_t told;            /* categories that are reported, and by which regions are split */
	/*
	 * The kernel holds its lock until it has found as many pages; 0: until the end of the
	 * range.
	 */
	uint64_t pages_max;
};

/*
 * Finds pages of [START, END) that match WANTED, skipping holes (PAGEMAP_SCAN): at most COUNT
 * regions. Returns 0, the number of regions in *RET_COUNT, and in *RET_END the end of the scanned
 * part, which is not above START if the address space is gone.
 *
 * Returns -ENOTTY if the kernel has no such call (before Linux 6.7), refuses it, or FD is not a
 * pagemap; -EFAULT for addresses that are not the user's; or another negative errno of the kernel.
 */
int pagemap_scan(int fd, const struct pagemap_wanted *wanted, uint64_t start, uint64_t end,
	struct pagemap_region *region, size_t count, size_t *ret_count, uint64_t *ret_end);

/*
 * Called for COUNT regions, which may be 0; it may change them. A result other than 0 ends the
 * scan, and is returned.
 */
typedef int (*pagemap_taker)(struct pagemap_region *region, size_t count, void *context);

/*
 * Scans all of [START, END) for TAKE, 1 GiB at a time: empty page tables take the kernel a
 * microsecond for each 2 MiB. Returns 0, also if the address space is gone or has no user addresses
 * there; a result of TAKE; -ENOTTY as of pagemap_scan(), before any call of TAKE; or another
 * negative errno of the kernel.
 */
int pagemap_scan_all(int fd, const struct pagemap_wanted *wanted, uint64_t start, uint64_t end,
	pagemap_taker take, void *context);

/*
 * Returns 1 if the kernel shows this process frames and places in swap, as tried with a page of its
 * own; 0 if it does not; or a negative errno of opening or reading "self/pagemap" below PROCFS_FD.
 */
int pagemap_shows_frames(int procfs_fd);

#endif
