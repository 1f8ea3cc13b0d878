/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who maps each page of the host's: processes are taken one after the other, group by group, and each page frame and place in
 * swap is noted with the party that has it, and what may keep memory that is in nobody's page tables (remnants.h). Then all
 * frames that were met are gone over once: how often the kernel says that each is mapped tells whether anybody else does, and
 * its flags what it is. It takes CAP_SYS_ADMIN in the first user namespace, and /proc/kpagecount.
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
	 * Kinds of places in swap: the areas, MAX_SWAPFILES of them at least, and behind these what the kernel keeps in the same
	 * way and is no swap, such as guard pages (include/linux/swap.h).
	 */
	MUSTER_SWAP_AREAS = 23,
};

struct muster {
	struct frames files;
	struct sparse frames; /* who maps each, a number of .parties */
	struct sparse swap[MUSTER_SWAP_AREAS];
	struct parties parties;
	struct remnants remnants;
	struct sparse
		origin; /* of frames of shared memory, the number of their file in .remnants */
	struct stakes stakes; /* after muster_count() */
	struct pagesweep walk;
	uint32_t group;              /* of whom is being walked */
	bool has_swap;               /* somebody has pages there */
	uint64_t mapped;             /* pages that were found, each as often as it is mapped */
	void (*tick)(void *context); /* called now and then while it works; NULL: nobody waits */
	void *context;
};

enum muster_outcome {
	MUSTER_NO_FRAMES = 1, /* the kernel shows no frames to whoever runs this */
};

/*
 * Of the directory PROCFS_FD, which is borrowed. 0; MUSTER_NO_FRAMES; errors of opening its own pagemap, or kpagecount and
 * kpageflags: -EACCES, -ENOENT; of making a memfd; -ENOMEM. *RET_WHAT is what an error is about, a sentence's beginning for
 * people. MUSTER stays where it is until muster_done().
 */
int muster_open(struct muster *m, int procfs_fd, const char **ret_what);
void muster_done(struct muster *m);

/*
 * The pages of T, a process of GROUP; none of another group's may come between two of one group's. 0; a target_outcome: what was
 * met of it until then stays noted; -ENOMEM, -ERANGE: that is the end of all; or another error of reading.
 */
int muster_take(struct muster *m, struct target *t, uint32_t group);

/*
 * All have been taken whose pages are asked for. From now on only what these have is looked at, and only what shows in no count of
 * mappings: their places in swap, and their remnants. -ENOMEM, or other errors of ours.
 */
int muster_seek(struct muster *m);

/* After that: whether they have any such thing, of which others are to be asked. */
bool muster_is_seeking(const struct muster *m);

/* All were taken, of GROUPS groups: fills .stakes. -ENOMEM; errors of read. */
int muster_count(struct muster *m, uint32_t groups);

/* Bytes that all of it takes. */
uint64_t muster_bytes(const struct muster *m);

#endif
