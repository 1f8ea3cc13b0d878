/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Flow of File Pages
 *
 * Running totals of what the file and shmem counters of some processes have lost and gained, in
 * units of COUNTER_FLOW_UNIT. Totals only rise, and wrap at 32 bits: only the difference between
 * two moments is meaningful. The flow of the other processes is the total less the process's own.
 * Pure.
 */
#ifndef MEMTALLY_COLLECTORS_MODEL_COUNTER_FLOW_H
#define MEMTALLY_COLLECTORS_MODEL_COUNTER_FLOW_H

#include <stdint.h>

#include "base/saturate.h"

enum { COUNTER_FLOW_UNIT = 1 << 12 }; /* bytes */

/* Sums of decreases and of increases. */
struct counter_flow {
	uint32_t lost, gained; /* in units of COUNTER_FLOW_UNIT; wraps */
};

static inline uint32_t counter_flow_units(uint64_t bytes)
{
	return saturate_u32(bytes / COUNTER_FLOW_UNIT);
}

static inline struct counter_flow counter_flow_between(uint64_t before, uint64_t now)
{
	return (struct counter_flow){counter_flow_units(saturate_less(before, now)),
		counter_flow_units(saturate_less(now, before))};
}

static inline void counter_flow_add(struct counter_flow *to, const struct counter_flow *f)
{
	to->lost += f->lost;
	to->gained += f->gained;
}

/* A - B, modulo 2^32. */
static inline struct counter_flow counter_flow_less(struct counter_flow a, struct counter_flow b)
{
	return (struct counter_flow){a.lost - b.lost, a.gained - b.gained};
}

#endif
