/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Turnover error: the prediction error after births and exits in a fork family, mean and mean deviation as in RFC 6298,
 * learned from members that are measured again. It tells how much births and exits may have changed the other members.
 * Families differ: if a few of many processes of one image share memory among themselves alone, births and exits of the
 * others do not affect them. Pure.
 */
#ifndef MEMTALLY_COLLECTORS_JUDGEMENT_H
#define MEMTALLY_COLLECTORS_JUDGEMENT_H

#include <stdint.h>

enum { JUDGEMENT_ONE = 1 << 10 };

/* In units of 1 / JUDGEMENT_ONE. */
struct judgement_mean {
	uint32_t mean, deviation;
};

/* All zeros: nothing was learned. Other modules only read it. */
struct judgement {
	struct judgement_mean times; /* the change, as a multiple of the expected change */
	struct judgement_mean part;  /* the change, as a part of the PSS */
	uint32_t lessons;
};

/* A member was measured again: LIKELY bytes of change were expected, its PSS is PSS bytes now and has changed by CHANGED. */
void judgement_learn(struct judgement *j, uint64_t likely, uint64_t changed, uint64_t pss);

/*
 * Returns by how many bytes a member may have changed if LIKELY bytes are expected: many times as much, unless births and
 * exits have changed next to nothing lately.
 */
uint64_t judgement_doubt(const struct judgement *j, uint64_t likely);

#endif
