/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Flow of File Pages
 *
 * Running totals of what the file and shmem counters of some processes have lost and gained, in
 * units of FLOW_UNIT. Totals only rise, and wrap at 32 bits: only the difference between two
 * moments is meaningful. The flow of the other processes is the total less the process's own. Pure.
 */
#ifndef MEMTALLY_COLLECTORS_MODEL_FLOW_H
#define MEMTALLY_COLLECTORS_MODEL_FLOW_H

#include <stdint.h>

#include "base/amount.h"

enum { FLOW_UNIT = 1 << 12 }; /* bytes */

/* Sums of decreases and of increases. */
struct flow {
	uint32_t lost, gained; /* in units of FLOW_UNIT; wraps */
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

/* A - B, modulo 2^32. */
static inline struct flow flow_less(struct flow a, struct flow b)
{
	return (struct flow){a.lost - b.lost, a.gained - b.gained};
}

#endif
