/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Frame Owners
 *
 * The set of groups that map each page frame of the host. Processes are read one after the other, group by group; for each
 * page frame and place in swap the set of groups (parties.h) is recorded, and the users of unmapped shared memory
 * (remnants.h). Then all frames are read once: the kernel's count of mappings tells whether other processes map the frame,
 * and its flags what it is. It takes CAP_SYS_ADMIN in the first user namespace, and /proc/kpagecount.
 */
#ifndef MEMTALLY_INSIDE_MUSTER_H
#define MEMTALLY_INSIDE_MUSTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "inside/frames.h"
#include "inside/pagesweep.h"
#include "inside/parties.h"
#include "inside/remnants.h"
#include "inside/sparse.h"
#include "inside/stakes.h"
#include "inside/target.h"

enum {
	/*
	 * Kinds of swap entries: MAX_SWAPFILES areas, or fewer; above them entries that are no swap, such as guard pages
	 * (include/linux/swap.h).
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
	void (*tick)(
		void *context); /* called from time to time, to show progress; NULL: not called */
	void *context;
};

enum muster_outcome {
	MUSTER_NO_FRAMES = 1, /* the kernel shows this process no page frames */
};

/*
 * Opens the files below PROCFS_FD, which stays borrowed. M must not move until muster_done(). Returns 0; MUSTER_NO_FRAMES; a
 * negative errno of opening the own pagemap, kpagecount and kpageflags (-EACCES, -ENOENT) or of making a memfd; -ENOMEM.
 * *RET_WHAT becomes the beginning of an error message (static).
 */
int muster_open(struct muster *m, int procfs_fd, const char **ret_what);
void muster_done(struct muster *m);

/*
 * Reads the pages of T, a process of GROUP. All processes of a group must come one after the other. May block, see
 * cli/supervisor.h. Returns 0; an enum target_outcome: pages that were read so far stay recorded; -ENOMEM or -ERANGE
 * (sparse.h): M is of no further use; or a negative errno of reading.
 */
int muster_take(struct muster *m, struct target *t, uint32_t group);

/*
 * Call after the last process of the groups: further processes are read only as sharers of what the kernel does not count,
 * places in swap and files in .remnants. Returns 0, or an error of remnants_weigh().
 */
int muster_seek(struct muster *m);

/* After muster_seek(): whether the groups have anything of that sort, so that further processes must be read. */
bool muster_is_seeking(const struct muster *m);

/*
 * After muster_seek(): whether muster_hold() must be called for all processes, also those of the groups: their descriptors
 * may keep memory that one group alone maps.
 */
bool muster_seeks_holders(const struct muster *m);

/* Records such descriptors of T, a process of GROUP. Results as of muster_take(). */
int muster_hold(struct muster *m, struct target *t, uint32_t group);

/* Call after the last process of all: computes .stakes of GROUPS groups. Returns 0; -ENOMEM; or a negative errno of read(). */
int muster_count(struct muster *m, uint32_t groups);

/* Bytes of memory that M uses. */
uint64_t muster_bytes(const struct muster *m);

#endif
