/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Copy-on-write Breaks
 *
 * Copy-on-write breaks that measurements have found in a fork family. A process that writes to a
 * shared page gets a copy of its own; the old page then has one sharer fewer, and no counter of the
 * other sharers moves. Breaks are kept by the time at which they were found, so that a member that
 * was measured earlier can ask for those since. Pure. Times are in ns of CLOCK_BOOTTIME.
 */
#ifndef MEMTALLY_COLLECTORS_MODEL_FAMILY_COW_BREAKS_H
#define MEMTALLY_COLLECTORS_MODEL_FAMILY_COW_BREAKS_H

#include <stdint.h>

enum {
	COW_BREAKS_KEPT = 8,      /* times; if there are more, the oldest two are merged */
	COW_BREAKS_ONE = 1 << 16, /* .parted of a writer that has copied all that it shared */
};

/* Breaks found at one time, or at several. All zeros: none. */
struct cow_breaks_sum {
	uint64_t gained; /* bytes of PSS that the writers gained */
	/* sum over the writers that are still there: the part of its shared memory that each has
	 * copied */
	uint32_t parted;
	uint32_t writers; /* number of writers */
};

/* Breaks that were found at one time, and the time in which they were made. */
struct cow_breaks_time {
	/* from: the mean time of the writers' former measurements; at: found then */
	uint64_t from_ns, at_ns;
	struct cow_breaks_sum sum;
};

/* All zeros: none. */
struct cow_breaks {
	struct cow_breaks_time time[COW_BREAKS_KEPT]; /* ascending by .at_ns */
	uint32_t count;
};

/* A member's share in .parted of the sums. All zeros: none. */
struct cow_breaks_writer {
	uint64_t at_ns;        /* when its breaks were found last */
	uint32_t parted, last; /* in all, and found last; COW_BREAKS_ONE is all that it shared */
};

/*
 * Adds breaks by W, found at AT_NS and made since FROM_NS: W has gained GAINED bytes of PSS, of at
 * most ROOM bytes that it could gain by copying (0: not known). ROOM is about memory that W had not
 * copied before: however often W writes, it counts as one writer at most. When all members that
 * shared more with W have been measured, the caller sets *W to zeros.
 */
void cow_breaks_add(struct cow_breaks *b, struct cow_breaks_writer *w, uint64_t gained,
	uint64_t room, uint64_t from_ns, uint64_t at_ns);

/*
 * Call when writer W has exited or left the family: removes its copies from .parted of the sums,
 * because its exit is accounted for elsewhere. *W is then all zeros.
 */
void cow_breaks_leave(struct cow_breaks *b, struct cow_breaks_writer *w);

/*
 * Computes in *RET the breaks since SINCE_NS: all that were found later, except that of .parted
 * only the part counts that falls after SINCE_NS if the writes were even between .from_ns and
 * .at_ns.
 */
void cow_breaks_since(const struct cow_breaks *b, uint64_t since_ns, struct cow_breaks_sum *ret);

/* Returns when breaks were found last; 0: never. */
static inline uint64_t cow_breaks_last_ns(const struct cow_breaks *b)
{
	return b->count ? b->time[b->count - 1].at_ns : 0;
}

#endif
