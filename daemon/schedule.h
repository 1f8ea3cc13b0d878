/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Start times of passes
 *
 * The first pass starts at once, the others on a grid of the interval, each with a random delay, so
 * that hosts and programs with the same interval do not run in step. Pure; all times are
 * CLOCK_MONOTONIC.
 */
#ifndef MEMTALLY_DAEMON_SCHEDULE_H
#define MEMTALLY_DAEMON_SCHEDULE_H

#include <stdint.h>

struct schedule {
	uint64_t due_ns; /* the next point of the grid */
};

/* Begins the grid at NOW_NS, when the first pass is due. */
void schedule_init(struct schedule *s, uint64_t now_ns);

/*
 * Moves the next point of the grid to at most INTERVAL_NS after NOW_NS, for an interval that was
 * made shorter. Returns that point; the grid continues from there.
 */
uint64_t schedule_bring_forward(struct schedule *s, uint64_t interval_ns, uint64_t now_ns);

/*
 * Returns when to start the pass after one that ran from BEGIN_NS to END_NS: at the next point of
 * the grid of INTERVAL_NS, plus a random delay of at most a twentieth of the interval. RANDOM
 * chooses the delay. Points of the grid that the pass ran over are left out.
 *
 * If that is less than a tenth of the pass's length after END_NS, returns the later time, so that
 * passes that are too long for their interval leave the host some rest. This pause is at most one
 * interval, however long the pass took: a pass that was stopped for minutes has used no CPU, and
 * its figures are old.
 */
uint64_t schedule_next(struct schedule *s, uint64_t interval_ns, uint64_t begin_ns, uint64_t end_ns,
	uint32_t random);

#endif
