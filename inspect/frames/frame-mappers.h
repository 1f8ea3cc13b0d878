/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Frame Owners
 *
 * Finds the set of groups that map each page frame of the host. Reads processes one after the
 * other, group by group, and records for each frame and place in swap the set of groups
 * (inspect/frames/owner-sets.h), and the users of unmapped shared memory
 * (inspect/frames/unmapped-shmem.h). Then it reads all frames once: the mapping count tells whether
 * other processes map the frame, and the flags what it is. Needs CAP_SYS_ADMIN in the first user
 * namespace, and /proc/kpagecount.
 *
 *  frame_mappers_open()
 *    frame_mappers_take()    each process of the groups
 *  frame_mappers_seek()
 *    frame_mappers_take()    if frame_mappers_is_seeking(): each other process
 *    frame_mappers_hold()    if frame_mappers_seeks_holders(): each process
 *  frame_mappers_count()
 */
#ifndef MEMTALLY_INSPECT_FRAMES_FRAME_MAPPERS_H
#define MEMTALLY_INSPECT_FRAMES_FRAME_MAPPERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "inspect/frames/frame-map.h"
#include "inspect/frames/frame-owners.h"
#include "inspect/frames/owner-sets.h"
#include "inspect/frames/unmapped-shmem.h"
#include "inspect/maps/target.h"
#include "inspect/pages/kpage.h"
#include "inspect/pages/pagesweep.h"

enum {
	/*
	 * Types of swap entries that are swap areas: MAX_SWAPFILES, or fewer. Higher types are no
	 * swap, such as guard pages (include/linux/swap.h).
	 */
	FRAME_MAPPERS_SWAP_AREAS = 23,
};

struct frame_mappers {
	struct kpage kpage;
	struct frame_map frames; /* for each frame, the number of its set in .sets */
	struct frame_map swap[FRAME_MAPPERS_SWAP_AREAS];
	struct owner_sets sets;
	struct unmapped_shmem unmapped;
	/* for frames of files in .unmapped, the number of the file there */
	struct frame_map origin;
	struct frame_owners owners; /* after frame_mappers_count() */
	struct pagesweep walk;
	uint32_t group;  /* of the process that is being read */
	bool has_swap;   /* a process has pages in swap */
	uint64_t mapped; /* pages that were found, once for each mapping */
	/* Called from time to time, to show progress; NULL: not called. */
	void (*tick)(void *context);
	void *context;
};

enum frame_mappers_outcome {
	FRAME_MAPPERS_NO_FRAMES = 1, /* the kernel does not show page frames to memtally */
};

/*
 * Opens the files below PROCFS_FD, which stays borrowed. M must not move until
 * frame_mappers_done(). Returns 0; FRAME_MAPPERS_NO_FRAMES; -ENOMEM; or a negative errno of opening
 * pagemap, kpagecount and kpageflags (-EACCES, -ENOENT) or of making a memfd. *RET_WHAT becomes the
 * beginning of an error message (static).
 */
int frame_mappers_open(struct frame_mappers *m, int procfs_fd, const char **ret_what);
/* Frees what M owns, also after an error of frame_mappers_open(). */
void frame_mappers_done(struct frame_mappers *m);

/*
 * Reads the pages of T, a process of GROUP. All processes of a group must come one after the other.
 * May block, see cli/common/reading/supervisor.h. Returns 0; an enum target_outcome: pages that were read
 * so far stay recorded; -ENOMEM or -ERANGE (inspect/frames/frame-map.h): M is of no further use; or
 * a negative errno of reading.
 */
int frame_mappers_take(struct frame_mappers *m, struct target *t, uint32_t group);

/*
 * Call after the last process of the groups. Further processes are read only as sharers of memory
 * without a mapping count: places in swap, and files in .unmapped. Returns 0, or a negative errno
 * of unmapped_shmem_weigh().
 */
int frame_mappers_seek(struct frame_mappers *m);

/*
 * After frame_mappers_seek(): returns whether the groups have swapped pages, or files that seem to
 * be theirs alone. Then the other processes must be read by frame_mappers_take(), too.
 */
bool frame_mappers_is_seeking(const struct frame_mappers *m);

/*
 * After frame_mappers_seek(): returns whether frame_mappers_hold() must be called for all
 * processes, also those of the groups. Their descriptors may keep memory that only one group maps.
 */
bool frame_mappers_seeks_holders(const struct frame_mappers *m);

/*
 * Records the files that T, a process of GROUP, has open and that may keep memory of a group. May
 * block, see cli/common/reading/supervisor.h. Returns 0; an enum target_outcome; -ENOMEM; or a negative
 * errno of reading.
 */
int frame_mappers_hold(struct frame_mappers *m, struct target *t, uint32_t group);

/*
 * Call after the last process: computes .owners for GROUPS groups. Returns 0; -ENOMEM; or a
 * negative errno of read().
 */
int frame_mappers_count(struct frame_mappers *m, uint32_t groups);

/* Returns the bytes of memory that M uses. */
uint64_t frame_mappers_bytes(const struct frame_mappers *m);

#endif
