/* SPDX-License-Identifier: Apache-2.0 */
/*
 * To how much the members of a family may have written since they were measured, as their faults
 * say, and how much of that is believed: faults are also of other things, and what measurements
 * have found of earlier suspicions tells. What was found is in breaks.h. Pure.
 */
#ifndef MEMTALLY_COLLECTORS_SUSPICION_H
#define MEMTALLY_COLLECTORS_SUSPICION_H

#include <stdint.h>

/* All zeros is none. */
struct suspicion {
	uint64_t bytes; /* of all members */
	uint64_t at_ns; /* who was measured later knows */
	uint64_t asked,
		admitted; /* of those measured again: how much was suspected, and was so; fading */
};

/* What one is suspected of went from OLD to NOW bytes, as its faults said at AT_NS. */
void suspicion_move(struct suspicion *s, uint64_t old, uint64_t now, uint64_t at_ns);

/* One that was suspected of SUSPECTED bytes was measured, and has FOUND. */
void suspicion_answer(struct suspicion *s, uint64_t suspected, uint64_t found);

/*
 * How much of what others than one who is suspected of OWN bytes have written to since SINCE_NS is
 * believed.
 */
uint64_t suspicion_since(const struct suspicion *s, uint64_t own, uint64_t since_ns);

#endif
