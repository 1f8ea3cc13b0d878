/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pauses between attempts: 100 ms, doubled with each failure up to a limit. A quarter of a pause is random, so that readers that were
 * cut off together do not come back together. Pure.
 */
#ifndef MEMTALLY_BASE_BACKOFF_H
#define MEMTALLY_BASE_BACKOFF_H

#include <stdint.h>

#include "base/clock.h"

#define BACKOFF_FIRST_NS (100 * NS_PER_MSEC)

struct backoff {
	uint64_t delay_ns; /* of the last failure; 0: there was none */
};

/*
 * Returns the pause after one more failure in nanoseconds, at most MAX_NS: between three quarters of the step and the whole of it, by
 * CHANCE, a random number.
 */
uint64_t backoff_next(struct backoff *b, uint64_t max_ns, uint32_t chance);

/* Call after an attempt that succeeded: the next pause is the shortest again. */
void backoff_reset(struct backoff *b);

#endif
