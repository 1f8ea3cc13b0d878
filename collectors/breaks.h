/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes to what a family shares, as they were found: who writes to a page has a copy of its own,
 * and the others share the old one with one fewer, without a counter of theirs that moves. It is
 * kept by the time before which it was written, so that everybody who was measured earlier can ask
 * for what it does not know. Pure.
 */
#ifndef MEMTALLY_COLLECTORS_BREAKS_H
#define MEMTALLY_COLLECTORS_BREAKS_H

#include <stdint.h>

enum {
	BREAKS_KEPT = 8,      /* times; of more the oldest are taken for one */
	BREAKS_ONE = 1 << 16, /* one who has let go of all that it shared */
};

/* Of one time, or of several. All zeros is none. */
struct breaks_sum {
	uint64_t gained;  /* PSS, by those who wrote; bytes */
	uint32_t parted;  /* which part of what they shared those of them who are there let go of */
	uint32_t writers; /* how many they are */
};

struct breaks_time {
	uint64_t from_ns, at_ns; /* from the mean of when its writers were measured before */
	struct breaks_sum sum;
};

/* All zeros is none. */
struct breaks {
	struct breaks_time time[BREAKS_KEPT]; /* .at_ns rises */
	uint32_t count;
};

/* What one of those who are there has let go of, in .parted. All zeros is nothing. */
struct breaks_writer {
	uint64_t at_ns;        /* when that was found last */
	uint32_t parted, last; /* in all, and of that then; BREAKS_ONE is all that it shared */
};

/*
 * W has gained GAINED bytes of the ROOM (0: nobody knows) that it could have gained by writing, all
 * of that from FROM_NS to AT_NS. The room is of what it had not let go of before: however often it
 * writes, it is one writer at most, until the caller sets W to zeros, since all have been measured
 * who shared more with it.
 */
void breaks_add(struct breaks *b, struct breaks_writer *w, uint64_t gained, uint64_t room,
	uint64_t from_ns, uint64_t at_ns);

/*
 * W is gone, with all that it had, and that is known otherwise: what it had let go of before that
 * does not count once more. W is then all zeros.
 */
void breaks_leave(struct breaks *b, struct breaks_writer *w);

/*
 * What may have been written after SINCE_NS: all of what was found later, but of .parted only as
 * much as would be if it was written evenly in its time.
 */
void breaks_since(const struct breaks *b, uint64_t since_ns, struct breaks_sum *ret);

/* By when all that was found was written; 0: nothing was found. */
static inline uint64_t breaks_last_ns(const struct breaks *b)
{
	return b->count ? b->time[b->count - 1].at_ns : 0;
}

#endif
