/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Copy-on-write Breaks
 *
 * Private copies in a fork family. A process that writes to a shared page gets a copy of its own;
 * the old page then has one sharer fewer, and no counter of the other sharers moves. Measurements
 * find breaks; they are kept by the time at which they were found, so that a member that was
 * measured earlier can ask for those since. Before that, minor faults let members be suspected of
 * breaks. Faults have other causes, too: measurements of suspected members show which part to
 * believe. Pure. Times are in ns of CLOCK_BOOTTIME.
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
	struct cow_breaks_time time[COW_BREAKS_KEPT]; /* found; ascending by .at_ns */
	uint32_t count;
	uint64_t suspected; /* bytes, of all members together */
	/* the latest suspicion; members that were measured later know about it */
	uint64_t suspected_ns;
	/* of suspected members that were measured: the bytes that were suspected, and found; fading
	 * sums */
	uint64_t asked, admitted;
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
 * Removes the copies of W, which has exited or left the family, from .parted of the sums, because
 * its exit is accounted for elsewhere. *W is then all zeros.
 */
void cow_breaks_leave(struct cow_breaks *b, struct cow_breaks_writer *w);

/*
 * Computes in *RET the breaks since SINCE_NS: all that were found later, except that of .parted
 * only the part counts that falls after SINCE_NS if the writes were even between .from_ns and
 * .at_ns.
 */
void cow_breaks_since(const struct cow_breaks *b, uint64_t since_ns, struct cow_breaks_sum *ret);

/* Changes what a member is suspected of from OLD to NOW bytes, by its faults at AT_NS. */
void cow_breaks_suspect(struct cow_breaks *b, uint64_t old, uint64_t now, uint64_t at_ns);

/*
 * Learns that a member suspected of copies of SUSPECTED bytes has copied FOUND bytes, as it was
 * measured: cow_breaks_suspected() believes other suspicions accordingly. Does nothing if SUSPECTED
 * is 0.
 */
void cow_breaks_answer(struct cow_breaks *b, uint64_t suspected, uint64_t found);

/*
 * Returns how many bytes other members are believed to have copied, for a member that is itself
 * suspected of OWN bytes and was measured at SINCE_NS. Returns 0 if no suspicion is later.
 */
uint64_t cow_breaks_suspected(const struct cow_breaks *b, uint64_t own, uint64_t since_ns);

#endif
