/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Start times of passes: the first at once, the others on a grid of the interval, with a random delay, so that hosts and
 * programs with the same interval do not run in step. Pure; all times are CLOCK_MONOTONIC.
 */
#ifndef MEMTALLY_DAEMON_SCHEDULE_H
#define MEMTALLY_DAEMON_SCHEDULE_H

#include <stdint.h>

struct schedule {
	uint64_t due_ns; /* the next point of the grid */
};

/* The first pass is due at NOW_NS. */
void schedule_init(struct schedule *s, uint64_t now_ns);

/*
 * Changes the interval at NOW_NS. Returns the next point of the grid, which is at most INTERVAL_NS away; the grid continues
 * from there.
 */
uint64_t schedule_bring_forward(struct schedule *s, uint64_t interval_ns, uint64_t now_ns);

/*
 * Returns when to start the pass after one that ran from BEGIN_NS to END_NS: at the next point of the grid of
 * INTERVAL_NS, plus a lateness of at most a twentieth of the interval that RANDOM chooses.
 *
 * A pass that ran over points of the grid is followed by a pause of a tenth of its length, so that passes which are too
 * long for their interval leave the host some rest. The pause ends at the latest one interval after END_NS, however long
 * the pass took: a pass that was stopped for minutes has used no CPU, and its figures are old.
 */
uint64_t schedule_next(struct schedule *s, uint64_t interval_ns, uint64_t begin_ns, uint64_t end_ns,
	uint32_t random);

#endif
