/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the file and shmem counters of some processes have lost and gained, ever. It only rises, and wraps: the
 * difference of two moments is what counts, and what others did is what all did less one's own, as
 * far as that was added to it. Pure.
 */
#ifndef MEMTALLY_COLLECTORS_FLOW_H
#define MEMTALLY_COLLECTORS_FLOW_H

#include <stdint.h>

#include "collectors/amount.h"

enum { FLOW_UNIT = 1 << 12 }; /* bytes */

struct flow {
	uint32_t lost, gained; /* in FLOW_UNIT */
};

/* What many did: in how often somebody lost, and gained. One time it is no more than what there is to lose or gain. */
struct flow_crowd {
	struct flow flow;
	uint32_t losses, gains;
};

static inline uint32_t flow_units(uint64_t bytes)
{
	return (uint32_t)amount_min(bytes / FLOW_UNIT, UINT32_MAX);
}

static inline struct flow flow_between(uint64_t before, uint64_t now)
{
	return (struct flow){
		flow_units(amount_less(before, now)), flow_units(amount_less(now, before))};
}

static inline void flow_add(struct flow *to, const struct flow *f)
{
	to->lost += f->lost;
	to->gained += f->gained;
}

/* A - B; may wrap. */
static inline struct flow flow_less(struct flow a, struct flow b)
{
	return (struct flow){a.lost - b.lost, a.gained - b.gained};
}

static inline void flow_crowd_add(struct flow_crowd *to, const struct flow *f)
{
	flow_add(&to->flow, f);
	to->losses += f->lost != 0;
	to->gains += f->gained != 0;
}

/* A - B; may wrap. */
static inline struct flow_crowd flow_crowd_less(struct flow_crowd a, struct flow_crowd b)
{
	return (struct flow_crowd){
		flow_less(a.flow, b.flow), a.losses - b.losses, a.gains - b.gains};
}

/* How much of what C did may be of BYTES that are there. */
static inline struct flow flow_crowd_within(const struct flow_crowd *c, uint64_t bytes)
{
	uint64_t units = flow_units(bytes) + UINT64_C(1);

	return (struct flow){(uint32_t)amount_min(c->flow.lost, amount_part(units, c->losses, 1)),
		(uint32_t)amount_min(c->flow.gained, amount_part(units, c->gains, 1))};
}

#endif
