/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Page Frames
 *
 * Reads /proc/kpagecount and /proc/kpageflags: the number of mappings and the flags of each page
 * frame. Only root may read these files (mode 0400). In a container they show the frames of the
 * whole host.
 */
#ifndef MEMTALLY_INSPECT_PAGES_FRAMES_H
#define MEMTALLY_INSPECT_PAGES_FRAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"

/* Bits of kpageflags: include/uapi/linux/kernel-page-flags.h. */
#define FRAME_REFERENCED    (UINT64_C(1) << 2)
#define FRAME_UPTODATE      (UINT64_C(1) << 3)
#define FRAME_DIRTY         (UINT64_C(1) << 4)
#define FRAME_LRU           (UINT64_C(1) << 5)
#define FRAME_ACTIVE        (UINT64_C(1) << 6)
#define FRAME_WRITEBACK     (UINT64_C(1) << 8)
#define FRAME_ANON          (UINT64_C(1) << 12)
#define FRAME_SWAPCACHE     (UINT64_C(1) << 13)
#define FRAME_SWAPBACKED    (UINT64_C(1) << 14) /* anonymous, or shared memory */
#define FRAME_COMPOUND_HEAD (UINT64_C(1) << 15)
#define FRAME_COMPOUND_TAIL (UINT64_C(1) << 16)
#define FRAME_HUGE          (UINT64_C(1) << 17) /* hugetlb */
#define FRAME_UNEVICTABLE   (UINT64_C(1) << 18)
#define FRAME_NOPAGE        (UINT64_C(1) << 20)
#define FRAME_KSM           (UINT64_C(1) << 21)
#define FRAME_THP           (UINT64_C(1) << 22) /* in a large folio, on newer kernels of any size */
#define FRAME_RESERVED      (UINT64_C(1) << 32) /* part of the kernel's image, such as [vdso] */
#define FRAME_ZERO          (UINT64_C(1) << 24) /* the zero page, or the huge one: in no RSS */

enum { FRAMES_WINDOW = 512 };

/* One of the two files, with 64 bits for each frame, and the part that was read last. */
struct frames_file {
	int fd;
	uint64_t first; /* frame of .value[0] */
	size_t count;   /* frames in .value */
	uint64_t value[FRAMES_WINDOW];
};

struct frames {
	struct frames_file counts, flags;
};

/*
 * Opens both files below PROCFS_FD in *RET. Returns 0, or a negative errno of open(), such as
 * -EACCES, -EPERM or -ENOENT.
 */
int frames_open(int procfs_fd, struct frames *ret);
/* Closes both files. */
void frames_close(struct frames *f);
#define AUTO_FRAMES CLEANUP(frames_close)

/*
 * Writes the number of mappings of FRAME to *RET. Neighbouring frames are read together, so a
 * result may be as old as that of a neighbour; frames_forget() drops what was read. Returns 0;
 * -ENXIO if there is no such frame; or a negative errno of read().
 */
int frames_count(struct frames *f, uint64_t frame, uint64_t *ret);

/* Writes the flags of FRAME to *RET, with the same errors, and reads ahead like frames_count(). */
int frames_flags(struct frames *f, uint64_t frame, uint64_t *ret);
/* Makes the next calls read again. */
void frames_forget(struct frames *f);

/* A query for one of several frames. */
struct frames_query {
	uint64_t frame;
	size_t number; /* set by the caller to find the query again: frames_ask() sorts them */
	bool is_none;  /* the host has no such frame; the next two are not set */
	uint64_t mappings, flags;
};

/*
 * Answers COUNT queries with fresh reads, and sorts them by frame: neighbouring pages often have
 * neighbouring frames, in any order, so one read serves many. Returns 0, or a negative errno of
 * read().
 */
int frames_ask(struct frames *f, struct frames_query *query, size_t count);

#endif
