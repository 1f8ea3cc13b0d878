/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Suspected Copy-on-write Breaks
 *
 * How much members of a fork family may have copied since their measurements, by their minor
 * faults, and how much of that is believed. Faults have other causes, too; measurements of
 * suspected members show which part was true. Breaks that were found are in cow-breaks.h. Pure.
 */
#ifndef MEMTALLY_COLLECTORS_MODEL_FAMILY_COW_SUSPECTED_H
#define MEMTALLY_COLLECTORS_MODEL_FAMILY_COW_SUSPECTED_H

#include <stdint.h>

/* All zeros: none. */
struct cow_suspected {
	uint64_t bytes; /* suspected of all members together */
	/* the latest suspicion (CLOCK_BOOTTIME); members that were measured later know about it */
	uint64_t at_ns;
	/* of suspected members that were measured: the bytes that were suspected, and found; fading
	 * sums */
	uint64_t asked, admitted;
};

/* Changes what a member is suspected of from OLD to NOW bytes, by its faults at AT_NS. */
void cow_suspected_move(struct cow_suspected *s, uint64_t old, uint64_t now, uint64_t at_ns);

/*
 * Call when a member suspected of copies of SUSPECTED bytes was measured, and has copied FOUND
 * bytes: cow_suspected_since() believes other suspicions accordingly. Does nothing if SUSPECTED is
 * 0.
 */
void cow_suspected_answer(struct cow_suspected *s, uint64_t suspected, uint64_t found);

/*
 * Returns how many bytes other members are believed to have copied, for a member that is itself
 * suspected of OWN bytes and was measured at SINCE_NS. Returns 0 if no suspicion is later.
 */
uint64_t cow_suspected_since(const struct cow_suspected *s, uint64_t own, uint64_t since_ns);

#endif
