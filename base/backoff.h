/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Backoff
 *
 * The pause between attempts that fail: 100 ms, doubled with each failure up to a limit. Up to a
 * quarter of each pause is random, so that readers that lost their connection together do not come
 * back together. Pure: the caller keeps the state and gives the random number.
 */
#ifndef MEMTALLY_BASE_BACKOFF_H
#define MEMTALLY_BASE_BACKOFF_H

#include <stdint.h>

#include "base/clock.h"

#define BACKOFF_FIRST_NS (100 * NS_PER_MSEC)

struct backoff {
	uint64_t delay_ns; /* ns; the full pause of the last failure; 0: no failure yet */
};

/*
 * Counts one more failure. Returns the pause before the next attempt in nanoseconds: three quarters
 * of the full pause or more, and at most the full pause. The full pause is at most MAX_NS. CHANCE
 * is a random number of 32 bits.
 */
uint64_t backoff_next(struct backoff *b, uint64_t max_ns, uint32_t chance);

/* Call after an attempt that succeeded: makes the next pause the shortest again. */
void backoff_reset(struct backoff *b);

#endif
