/* SPDX-License-Identifier: Apache-2.0 */
/*
 * /proc/PID/pagemap: what each page of an address space is. 64 bits a page (Documentation/admin-guide/mm/pagemap.rst).
 *
 * The kernel walks 2 MiB of addresses at a time and gives its lock back in between (pagemap_read() in
 * fs/proc/task_mmu.c), so whoever is read waits for no more than 512 pages, however large it is. Frames and places in
 * swap are shown to CAP_SYS_ADMIN alone (Linux 4.2), as 0 to anybody else; the other bits are everybody's who may open
 * it: who may ptrace the process, and is its user or may pass over that.
 */
#ifndef MEMTALLY_INSIDE_PAGEMAP_H
#define MEMTALLY_INSIDE_PAGEMAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PAGEMAP_PRESENT (UINT64_C(1) << 63)
#define PAGEMAP_SWAPPED (UINT64_C(1) << 62)
#define PAGEMAP_FILE    (UINT64_C(1) << 61) /* a file's, or shared anonymous; Linux 3.5 */
/* This is the only mapping there is, whoever's. Linux 4.2; of large folios roughly, without CONFIG_PAGE_MAPCOUNT. */
#define PAGEMAP_EXCLUSIVE  (UINT64_C(1) << 56)
#define PAGEMAP_GUARD      (UINT64_C(1) << 58) /* MADV_GUARD_INSTALL; Linux 6.15 */
#define PAGEMAP_FRAME_BITS 55

/* What a scan calls pages: PAGE_IS_PFNZERO and the like of linux/fs.h, Linux 6.7. */
#define PAGEMAP_IS_FILE    (UINT64_C(1) << 2)
#define PAGEMAP_IS_PRESENT (UINT64_C(1) << 3)
#define PAGEMAP_IS_SWAPPED (UINT64_C(1) << 4)
#define PAGEMAP_IS_ZERO    (UINT64_C(1) << 5) /* the page of zeros, or a huge one of them */
#define PAGEMAP_IS_HUGE    (UINT64_C(1) << 6) /* mapped by one entry for all of a huge page */

/* The number of the page's frame; 0: it is not present, or is not shown. */
static inline uint64_t pagemap_frame(uint64_t entry)
{
	return entry & PAGEMAP_PRESENT ? entry & ((UINT64_C(1) << PAGEMAP_FRAME_BITS) - 1) : 0;
}

/*
 * Which place in swap, its area and where in it; 0: it is not swapped, or is not shown. The kernel says so, too, of pages that are on
 * their way to another frame, of poisoned ones and of marks, as of guard pages, by the highest of the 32 numbers that areas may have: from 23
 * on, or from higher ones where it was built without some of these (MAX_SWAPFILES in linux/swap.h).
 */
static inline uint64_t pagemap_swap(uint64_t entry)
{
	const uint64_t type = entry & 31, special_min = 23;

	return entry & PAGEMAP_SWAPPED && type < special_min
	               ? entry & ((UINT64_C(1) << PAGEMAP_FRAME_BITS) - 1)
	               : 0;
}

/*
 * Reads what is at the pages from START on, an address, into ENTRY, COUNT at most. How many; 0: the address space is gone, or
 * ends before START; or read's error: -ESRCH, it is gone (Linux 6.18).
 */
int pagemap_read(int fd, uint64_t start, uint64_t *entry, size_t count, size_t *ret_count);

/* Pages that follow each other and are called the same. */
struct pagemap_region {
	uint64_t start, end;
	uint64_t categories;
};

/* Which pages are asked for, by bits of PAGEMAP_IS_*. */
struct pagemap_wanted {
	uint64_t all_of, none_of;
	uint64_t any_of; /* 0: it does not matter */
	uint64_t told;   /* what regions say, and are told apart by */
	uint64_t
		pages_max; /* the kernel keeps its lock until it has found so many; 0: till the end */
};

/*
 * Finds what of [START, END) is WANTED, without going through what is not there: COUNT regions at most. How many; all that lies
 * before *RET_END has been looked at, which is no further than START where the address space is gone. -ENOTTY: neither this kernel can do
 * that, before Linux 6.7, nor can a file; -EFAULT: not of these addresses; or others of the kernel's.
 */
int pagemap_scan(int fd, const struct pagemap_wanted *wanted, uint64_t start, uint64_t end,
	struct pagemap_region *region, size_t count, size_t *ret_count, uint64_t *ret_end);

/* Called for COUNT regions, which may be none, and which it may change. Anything but 0 ends the scan, and is returned. */
typedef int (*pagemap_taker)(struct pagemap_region *region, size_t count, void *context);

/*
 * The same of all of [START, END), a GiB at a time, since what has page tables and nothing in them takes the kernel a microsecond
 * for 2 MiB. 0, also where the address space is gone or ends before that, or no user's is there; the taker's; -ENOTTY, before any
 * call of it, or others of the kernel's.
 */
int pagemap_scan_all(int fd, const struct pagemap_wanted *wanted, uint64_t start, uint64_t end,
	pagemap_taker take, void *context);

/*
 * Whether frames and places in swap are shown to whoever runs this: tried at a page of its own. 1, 0, or an error of opening
 * or reading its own pagemap below the directory PROCFS_FD.
 */
int pagemap_shows_frames(int procfs_fd);

#endif
