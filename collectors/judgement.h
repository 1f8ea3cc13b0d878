/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How far off the guesses have been of what births and exits have done to the members of a family, as those show
 * who were measured again; and so how far off those of the others may well be. Families differ: where a few of many who
 * were forked from one image share among themselves alone, whoever else comes and goes is nothing to them. Pure.
 */
#ifndef MEMTALLY_COLLECTORS_JUDGEMENT_H
#define MEMTALLY_COLLECTORS_JUDGEMENT_H

#include <stdint.h>

/* All zeros has learned nothing. For reading alone. */
struct judgement {
	uint32_t mean,
		deviation; /* of how many times what is likely they were off; JUDGEMENT_ONE is once */
	uint32_t lessons;
};

enum { JUDGEMENT_ONE = 1 << 8 };

/* One that LIKELY bytes of were likely to have changed was measured, and the guess was OFF by so much. */
void judgement_learn(struct judgement *j, uint64_t likely, uint64_t off);

/* How far off the guess may well be for one that LIKELY bytes of are likely to have changed: at least as much as that. */
uint64_t judgement_doubt(const struct judgement *j, uint64_t likely);

#endif
