/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Unlisted Sharers
 *
 * A measurement may imply more sharers than the known members of a fork family. This module sorts
 * the additional ones:
 * - lingering: a process that has exited and still frees its pages. statm shows no memory any more,
 *   but freeing takes a millisecond for every few MiB (exit_mm() in Linux up to 6.18).
 * - lasting: a process that shares all of the memory but has another address range. It stays.
 * - unseen: a process that was born since the list, and may exit before the next pass.
 *
 * Pure.
 */
#ifndef MEMTALLY_COLLECTORS_MODEL_FAMILY_UNLISTED_SHARERS_H
#define MEMTALLY_COLLECTORS_MODEL_FAMILY_UNLISTED_SHARERS_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Findings of earlier measurements of a family. All zeros: nothing is known. Other modules only
 * read it.
 */
struct unlisted_sharers {
	/* the last pass with a measurement of the family, as its begin time; 0: none */
	uint64_t at_ns;
	/* lowest number of unlisted sharers, without lingering ones, that a measurement of that
	 * pass implied */
	uint32_t least;
	uint32_t lasting; /* .least as the pass before that one left it */
	/* a pass before that one had a measurement, too; else .lasting is not known */
	bool is_confirmed;
	uint64_t shared; /* bytes: a fading maximum of the shared memory of measured members */
};

/* Numbers of unlisted sharers by kind. */
struct unlisted_sharers_found {
	uint32_t lingering; /* exited in this pass, and not freed yet */
	uint32_t lasting;   /* there in every pass */
	uint32_t unseen;    /* the others */
};

/*
 * Sorts the unlisted sharers that a measurement implies. PASS_NS is when the pass began. SHARERS is
 * the implied number, the measured process included; KNOWN is the number of listed members; ENDED
 * is the number of members that exited so recently that they may linger. Returns the numbers of
 * each kind.
 */
struct unlisted_sharers_found unlisted_sharers_find(const struct unlisted_sharers *e,
	uint64_t pass_ns, uint64_t sharers, uint32_t known, uint32_t ended);

/*
 * Returns true if a member that shares SHARED bytes with the family and others is representative. A
 * member that has copied a part of the shared memory may share the rest with fewer processes, so a
 * member with less than 7/8 of the most shared bytes is not. That maximum (.shared) fades with each
 * call: if all members share less, the next ones are believed.
 */
bool unlisted_sharers_is_telling(struct unlisted_sharers *e, uint64_t shared);

/*
 * Learns FOUND, the result of unlisted_sharers_find() for a representative member, in the pass that
 * began at PASS_NS.
 */
void unlisted_sharers_learn(
	struct unlisted_sharers *e, uint64_t pass_ns, const struct unlisted_sharers_found *found);

/*
 * Returns how many of the LASTING sharers that a measurement implied later measurements do not
 * imply any more.
 */
static inline uint32_t unlisted_sharers_lost(const struct unlisted_sharers *e, uint32_t lasting)
{
	return lasting > e->least ? lasting - e->least : 0;
}

#endif
