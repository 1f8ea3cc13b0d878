/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How much CPU was used lately: of what a counter said now and then it keeps as much as a minute needs. Pure.
 */
#ifndef MEMTALLY_COLLECTORS_RECENT_H
#define MEMTALLY_COLLECTORS_RECENT_H

#include <stdbool.h>
#include <stdint.h>

enum { RECENT_MARKS = 14 };

struct recent {
	struct {
		uint64_t at_ns, cpu_ns;
	} mark[RECENT_MARKS]; /* oldest first */
	unsigned int count;
};

/* The counter is CPU_NS at AT_NS. Neither falls. */
void recent_add(struct recent *r, uint64_t at_ns, uint64_t cpu_ns);

/*
 * How much of one core was used over the last *RET_SPAN_NS, about a minute (or two intervals, if they are longer), at the
 * last recent_add(). False: there was only one.
 */
bool recent_ratio(const struct recent *r, double *ret, uint64_t *ret_span_ns);

#endif
