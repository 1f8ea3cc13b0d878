/* SPDX-License-Identifier: Apache-2.0 */
/*
 * With how many more than are known members of a family were found to share, and who those are. One that exits
 * has no memory any more, as statm says it, while it still lets go of its pages, which takes a millisecond for
 * each few MiB (exit_mm() in Linux up to 6.18); others are born unseen, and may be gone before the next pass. But
 * who shares it all and is no member, for its address range is another, is always there. Pure.
 */
#ifndef MEMTALLY_COLLECTORS_EXCESS_H
#define MEMTALLY_COLLECTORS_EXCESS_H

#include <stdbool.h>
#include <stdint.h>

/* Of a family. All zeros has learned nothing. For reading alone. */
struct excess {
	uint64_t at_ns;    /* the last pass in which one was measured; 0: there was none */
	uint32_t least;    /* that was found in it, without those that linger */
	uint32_t lasting;  /* the same in the one of those before, */
	bool is_confirmed; /* if there was one; else nobody knows who lasts */
	uint64_t shared;   /* bytes, nearly as many as any of late, by which others may be told */
};

struct excess_found {
	uint32_t lingering; /* ended in this pass, and still there */
	uint32_t lasting;   /* always there */
	uint32_t unseen;    /* the rest */
};

/*
 * One was found to share with so many, itself among them, in the pass that began at PASS_NS; KNOWN are those of its
 * family that are there, ENDED those that have ended so shortly before that they may linger.
 */
struct excess_found excess_find(
	const struct excess *e, uint64_t pass_ns, uint64_t sharers, uint32_t known, uint32_t ended);

/*
 * Whether one who shares SHARED bytes, with members of the family and others, speaks for all of it: who has written to a part
 * of what others share may share the rest with fewer. But if all do, the next ones are believed.
 */
bool excess_is_telling(struct excess *e, uint64_t shared);

/* That was found, and is telling. */
void excess_learn(struct excess *e, uint64_t pass_ns, const struct excess_found *found);

/* How many of LASTING, found by a measurement, are not there any more, as later ones show. */
static inline uint32_t excess_lost(const struct excess *e, uint32_t lasting)
{
	return lasting > e->least ? lasting - e->least : 0;
}

#endif
