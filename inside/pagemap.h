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
#define PAGEMAP_FRAME_BITS 55

/* The number of the page's frame; 0: it is not present, or is not shown. */
static inline uint64_t pagemap_frame(uint64_t entry)
{
	return entry & PAGEMAP_PRESENT ? entry & ((UINT64_C(1) << PAGEMAP_FRAME_BITS) - 1) : 0;
}

/* Which place in swap, its area and where in it; 0: it is not swapped, or is not shown. */
static inline uint64_t pagemap_swap(uint64_t entry)
{
	return entry & PAGEMAP_SWAPPED ? entry & ((UINT64_C(1) << PAGEMAP_FRAME_BITS) - 1) : 0;
}

/*
 * Reads what is at the pages from START on, an address, into ENTRY, COUNT at most. How many; 0: the address space is gone, or
 * ends before START; or read's error: -ESRCH, it is gone (Linux 6.18).
 */
int pagemap_read(int fd, uint64_t start, uint64_t *entry, size_t count, size_t *ret_count);

/*
 * Whether frames and places in swap are shown to whoever runs this: tried at a page of its own. 1, 0, or an error of opening
 * or reading its own pagemap below the directory PROCFS_FD.
 */
int pagemap_shows_frames(int procfs_fd);

#endif
