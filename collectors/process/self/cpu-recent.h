/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Recent CPU use: the share of a CPU that was used during about the last minute. Keeps the few
 * readings of a counter that this needs. Zeroed: no readings. Pure.
 */
#ifndef MEMTALLY_COLLECTORS_PROCESS_SELF_CPU_RECENT_H
#define MEMTALLY_COLLECTORS_PROCESS_SELF_CPU_RECENT_H

#include <stdbool.h>
#include <stdint.h>

enum { CPU_RECENT_MARKS = 14 };

struct cpu_recent {
	struct {
		uint64_t at_ns, cpu_ns;
	} mark[CPU_RECENT_MARKS]; /* oldest first */
	unsigned int count;
};

/* Adds a reading: CPU_NS at AT_NS (any monotonic clock). Neither may fall. */
void cpu_recent_add(struct cpu_recent *r, uint64_t at_ns, uint64_t cpu_ns);

/*
 * Sets *RET to the share of one CPU that was used up to the last cpu_recent_add(), and *RET_SPAN_NS
 * to the time that it covers: about a minute, or two intervals if they are longer. Returns false,
 * with nothing set, if there are fewer than two readings, or no time between them.
 */
bool cpu_recent_ratio(const struct cpu_recent *r, double *ret, uint64_t *ret_span_ns);

#endif
