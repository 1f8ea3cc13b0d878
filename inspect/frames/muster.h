/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Frame Owners
 *
 * Finds the set of groups that map each page frame of the host. Reads processes one after the
 * other, group by group, and records for each frame and place in swap the set of groups
 * (inspect/frames/parties.h), and the users of unmapped shared memory (inspect/frames/remnants.h). Then it reads
 * all frames once: the mapping count tells whether other processes map the frame, and the flags
 * what it is. Needs CAP_SYS_ADMIN in the first user namespace, and /proc/kpagecount.
 *
 *  muster_open()
 *    muster_take()    each process of the groups
 *  muster_seek()
 *    muster_take()    if muster_is_seeking(): each other process
 *    muster_hold()    if muster_seeks_holders(): each process
 *  muster_count()
 */
#ifndef MEMTALLY_INSPECT_FRAMES_MUSTER_H
#define MEMTALLY_INSPECT_FRAMES_MUSTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "inspect/frames/parties.h"
#include "inspect/frames/remnants.h"
#include "inspect/frames/sparse.h"
#include "inspect/frames/stakes.h"
#include "inspect/maps/target.h"
#include "inspect/pages/frames.h"
#include "inspect/pages/pagesweep.h"

enum {
	/*
	 * Types of swap entries that are swap areas: MAX_SWAPFILES, or fewer. Higher types are no
	 * swap, such as guard pages (include/linux/swap.h).
	 */
	MUSTER_SWAP_AREAS = 23,
};

struct muster {
	struct frames files;
	struct sparse frames; /* for each frame, the number of its set in .parties */
	struct sparse swap[MUSTER_SWAP_AREAS];
	struct parties parties;
	struct remnants remnants;
	struct sparse origin; /* for frames of files in .remnants, the number of the file there */
	struct stakes stakes; /* after muster_count() */
	struct pagesweep walk;
	uint32_t group;  /* of the process that is being read */
	bool has_swap;   /* a process has pages in swap */
	uint64_t mapped; /* pages that were found, once for each mapping */
	/* Called from time to time, to show progress; NULL: not called. */
	void (*tick)(void *context);
	void *context;
};

enum muster_outcome {
	MUSTER_NO_FRAMES = 1, /* the kernel does not show page frames to memtally */
};

/*
 * Opens the files below PROCFS_FD, which stays borrowed. M must not move until muster_done().
 * Returns 0; MUSTER_NO_FRAMES; -ENOMEM; or a negative errno of opening pagemap, kpagecount and
 * kpageflags (-EACCES, -ENOENT) or of making a memfd. *RET_WHAT becomes the beginning of an error
 * message (static).
 */
int muster_open(struct muster *m, int procfs_fd, const char **ret_what);
/* Frees what M owns, also after an error of muster_open(). */
void muster_done(struct muster *m);

/*
 * Reads the pages of T, a process of GROUP. All processes of a group must come one after the other.
 * May block, see cli/common/supervisor.h. Returns 0; an enum target_outcome: pages that were read so far
 * stay recorded; -ENOMEM or -ERANGE (inspect/frames/sparse.h): M is of no further use; or a negative errno
 * of reading.
 */
int muster_take(struct muster *m, struct target *t, uint32_t group);

/*
 * Call after the last process of the groups. Further processes are read only as sharers of memory
 * without a mapping count: places in swap, and files in .remnants. Returns 0, or a negative errno
 * of remnants_weigh().
 */
int muster_seek(struct muster *m);

/*
 * After muster_seek(): whether the groups have swapped pages, or files that seem to be theirs
 * alone. Then the other processes must be read by muster_take(), too.
 */
bool muster_is_seeking(const struct muster *m);

/*
 * After muster_seek(): whether muster_hold() must be called for all processes, also those of the
 * groups. Their descriptors may keep memory that only one group maps.
 */
bool muster_seeks_holders(const struct muster *m);

/*
 * Records the files that T, a process of GROUP, has open and that may keep memory of a group. May
 * block, see cli/common/supervisor.h. Returns 0; an enum target_outcome; -ENOMEM; or a negative errno of
 * reading.
 */
int muster_hold(struct muster *m, struct target *t, uint32_t group);

/*
 * Call after the last process: computes .stakes for GROUPS groups. Returns 0; -ENOMEM; or a
 * negative errno of read().
 */
int muster_count(struct muster *m, uint32_t groups);

/* Returns the bytes of memory that M uses. */
uint64_t muster_bytes(const struct muster *m);

#endif
