/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Recent CPU use: the share of a CPU that was used during about the last minute. Keeps the few
 * readings of a counter that this needs. Zeroed: no readings. Pure.
 */
#ifndef MEMTALLY_COLLECTORS_PROCESS_RECENT_H
#define MEMTALLY_COLLECTORS_PROCESS_RECENT_H

#include <stdbool.h>
#include <stdint.h>

enum { RECENT_MARKS = 14 };

struct recent {
	struct {
		uint64_t at_ns, cpu_ns;
	} mark[RECENT_MARKS]; /* oldest first */
	unsigned int count;
};

/* Adds a reading: CPU_NS at AT_NS (any monotonic clock). Neither may fall. */
void recent_add(struct recent *r, uint64_t at_ns, uint64_t cpu_ns);

/*
 * Sets *RET to the share of one CPU that was used up to the last recent_add(), and *RET_SPAN_NS to
 * the time that it covers: about a minute, or two intervals if they are longer. Returns false, with
 * nothing set, if there are fewer than two readings, or no time between them.
 */
bool recent_ratio(const struct recent *r, double *ret, uint64_t *ret_span_ns);

#endif
