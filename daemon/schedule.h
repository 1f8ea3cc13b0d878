/* SPDX-License-Identifier: Apache-2.0 */
/*
 * When passes start: the first at once, the others on a grid of the interval, each a little late by
 * chance, so that hosts and programs with like intervals do not move in step. Pure; CLOCK_MONOTONIC.
 */
#ifndef MEMTALLY_DAEMON_SCHEDULE_H
#define MEMTALLY_DAEMON_SCHEDULE_H

#include <stdint.h>

struct schedule {
	uint64_t due_ns; /* the next point of the grid */
};

void schedule_init(struct schedule *s, uint64_t now_ns);

/*
 * Another interval, from NOW_NS on: the next point of the grid, which it returns, is at most that far
 * away, and the grid goes on from there.
 */
uint64_t schedule_bring_forward(struct schedule *s, uint64_t interval_ns, uint64_t now_ns);

/*
 * When to start after a pass from BEGIN_NS to END_NS, INTERVAL_NS after the last. Passes never
 * overlap: after an overrun it is the next point of the grid, and at least a tenth of the pass's
 * length after its end, so that passes which are too long for their interval leave the host some
 * rest. RANDOM chooses the lateness, at most a twentieth of the interval.
 */
uint64_t schedule_next(struct schedule *s, uint64_t interval_ns, uint64_t begin_ns, uint64_t end_ns,
	uint32_t random);

#endif
