/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Page Frames
 *
 * Reads /proc/kpagecount and /proc/kpageflags: the number of mappings and the flags of each page
 * frame. Only root may read these files (mode 0400). In a container they show the frames of the
 * whole host.
 */
#ifndef MEMTALLY_INSPECT_PAGES_KPAGE_H
#define MEMTALLY_INSPECT_PAGES_KPAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"

/* Bits of kpageflags: include/uapi/linux/kernel-page-flags.h. */
#define KPAGE_REFERENCED    (UINT64_C(1) << 2)
#define KPAGE_UPTODATE      (UINT64_C(1) << 3)
#define KPAGE_DIRTY         (UINT64_C(1) << 4)
#define KPAGE_LRU           (UINT64_C(1) << 5)
#define KPAGE_ACTIVE        (UINT64_C(1) << 6)
#define KPAGE_WRITEBACK     (UINT64_C(1) << 8)
#define KPAGE_ANON          (UINT64_C(1) << 12)
#define KPAGE_SWAPCACHE     (UINT64_C(1) << 13)
#define KPAGE_SWAPBACKED    (UINT64_C(1) << 14) /* anonymous, or shared memory */
#define KPAGE_COMPOUND_HEAD (UINT64_C(1) << 15)
#define KPAGE_COMPOUND_TAIL (UINT64_C(1) << 16)
#define KPAGE_HUGE          (UINT64_C(1) << 17) /* hugetlb */
#define KPAGE_UNEVICTABLE   (UINT64_C(1) << 18)
#define KPAGE_NOPAGE        (UINT64_C(1) << 20)
#define KPAGE_KSM           (UINT64_C(1) << 21)
#define KPAGE_THP           (UINT64_C(1) << 22) /* in a large folio, on newer kernels of any size */
#define KPAGE_RESERVED      (UINT64_C(1) << 32) /* part of the kernel's image, such as [vdso] */
#define KPAGE_ZERO          (UINT64_C(1) << 24) /* the zero page, or the huge one: in no RSS */

/* Descriptors of the two files, with 64 bits for each frame. */
struct kpage {
	int counts, flags;
};

/*
 * Opens both files below PROCFS_FD in *RET. Returns 0, or a negative errno of open(), such as
 * -EACCES, -EPERM or -ENOENT.
 */
int kpage_open(int procfs_fd, struct kpage *ret);
/* Closes both files. */
void kpage_close(struct kpage *f);
#define AUTO_KPAGE CLEANUP(kpage_close)

/*
 * Reads the values of COUNT frames from FIRST on from FD, one of the two files. Returns 0, and the
 * number of frames in *RET_COUNT, which is lower if the host has no further frame; or a negative
 * errno of read().
 */
int kpage_read(int fd, uint64_t first, uint64_t *to, size_t count, size_t *ret_count);

/* A query for one of several frames. */
struct kpage_query {
	uint64_t frame;
	size_t number; /* set by the caller to find the query again: kpage_ask() sorts them */
	bool is_none;  /* the host has no such frame; the next two are not set */
	uint64_t mappings, flags;
};

/*
 * Answers COUNT queries with fresh reads, and sorts them by frame: neighbouring pages often have
 * neighbouring frames, in any order, so one read serves many. Returns 0, or a negative errno of
 * read().
 */
int kpage_ask(const struct kpage *f, struct kpage_query *query, size_t count);

#endif
