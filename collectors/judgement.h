/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How much births and exits have changed the members of a family, as those show who were measured again; and so how much
 * they may well have changed the others. Families differ: where a few of many who were forked from one image share among
 * themselves alone, whoever else comes and goes is nothing to them. Pure.
 */
#ifndef MEMTALLY_COLLECTORS_JUDGEMENT_H
#define MEMTALLY_COLLECTORS_JUDGEMENT_H

#include <stdint.h>

enum { JUDGEMENT_ONE = 1 << 10 };

/* JUDGEMENT_ONE is once, or all of it. */
struct judgement_mean {
	uint32_t mean, deviation;
};

/* All zeros has learned nothing. For reading alone. */
struct judgement {
	struct judgement_mean times; /* what was likely, that it was */
	struct judgement_mean part;  /* of the PSS */
	uint32_t lessons;
};

/* One that LIKELY bytes of were likely to have changed was measured: its PSS, now PSS, has changed by so much. */
void judgement_learn(struct judgement *j, uint64_t likely, uint64_t changed, uint64_t pss);

/*
 * How much may well have changed of one that LIKELY bytes of are likely to: many times as much, but where births and exits
 * changed next to nothing of late.
 */
uint64_t judgement_doubt(const struct judgement *j, uint64_t likely);

#endif
