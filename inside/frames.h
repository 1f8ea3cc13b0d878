/* SPDX-License-Identifier: Apache-2.0 */
/*
 * /proc/kpagecount and /proc/kpageflags: how often each frame of the host's memory is mapped, and what is in it. Root's alone
 * (mode 0400); in a container, too, it is the whole host's.
 */
#ifndef MEMTALLY_INSIDE_FRAMES_H
#define MEMTALLY_INSIDE_FRAMES_H

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
#define FRAME_THP           (UINT64_C(1) << 22) /* of a large folio, on newer kernels of any size */
#define FRAME_ZERO          (UINT64_C(1) << 24) /* the page of zeros, or the huge one: in nobody's RSS */

enum { FRAMES_WINDOW = 512 };

/* A file of 64 bits a frame, and the part of it that was read last. */
struct frames_file {
	int fd;
	uint64_t first;
	size_t count;
	uint64_t value[FRAMES_WINDOW];
};

struct frames {
	struct frames_file counts, flags;
};

/* Of the directory PROCFS_FD. 0, or open's error: -EACCES, -EPERM, -ENOENT. */
int frames_open(int procfs_fd, struct frames *ret);
void frames_close(struct frames *f);
#define AUTO_FRAMES CLEANUP(frames_close)

/*
 * How often FRAME is mapped; its flags. Frames that follow each other are read together, so what is told may be
 * as old as the first of them: frames_forget() has it read anew. 0, -ENXIO: there is no such frame; read's errors.
 */
int frames_count(struct frames *f, uint64_t frame, uint64_t *ret);
int frames_flags(struct frames *f, uint64_t frame, uint64_t *ret);
void frames_forget(struct frames *f);

/* One of several that are asked for at once. */
struct frames_query {
	uint64_t frame;
	size_t number; /* the asker's, since they are put in another order */
	bool is_none;  /* there is no such frame, and so nothing of it: */
	uint64_t mappings, flags;
};

/*
 * Answers COUNT of them, anew, in the order of the frames: pages that follow each other lie near each other as often as not, in whatever order,
 * and so take one read for many. 0, or read's errors.
 */
int frames_ask(struct frames *f, struct frames_query *query, size_t count);

#endif
