/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the sources of lanes: lanes.c, and lanes-judge.c, which decides whether a read is blocked. */
#ifndef MEMTALLY_COLLECTORS_WORKERS_LANES_PRIVATE_H
#define MEMTALLY_COLLECTORS_WORKERS_LANES_PRIVATE_H

#include <stdint.h>

#include "collectors/workers/lanes.h"

/* State of a worker that the caller waits for. All times in ns. */
struct lanes_watch {
	uint64_t request_ns; /* CLOCK_MONOTONIC: since when it is at its current request */
	uint64_t first_ns;   /* CLOCK_MONOTONIC: first check of the worker; 0: not checked yet */
	uint64_t cpu_ns;     /* CPU time that it had used at the first check */
	uint64_t queued_ns;  /* time that it had waited for a CPU at the first check */
	/*
	 * .last_cpu_ns: CPU time at the last check; .asleep_ns: CLOCK_MONOTONIC since when it has
	 * not changed
	 */
	uint64_t last_cpu_ns, asleep_ns;
	uint64_t slept_ns; /* time asleep since the first check */
};

/* Returns for how long (ns) a worker may sleep in one read now. */
uint64_t lanes_patience_ns(const struct lanes *s);

/*
 * Checks the worker of LANE at NOW_NS (CLOCK_MONOTONIC), and updates W. Returns 0 if it may go on,
 * else an enum lanes_outcome.
 */
int lanes_judge(
	const struct lanes *s, struct worker_lane *lane, struct lanes_watch *w, uint64_t now_ns);

#endif
