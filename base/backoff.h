/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How long to wait before the next attempt: 100 ms, doubled with each failure up to 5 s. A quarter of
 * it is left to chance, so that readers that were cut off together do not come back together. Pure.
 */
#ifndef MEMTALLY_BASE_BACKOFF_H
#define MEMTALLY_BASE_BACKOFF_H

#include <stdint.h>

#include "base/clock.h"

#define BACKOFF_FIRST_NS (100 * NS_PER_MSEC)
#define BACKOFF_MAX_NS   (5 * NS_PER_SEC)

struct backoff {
	uint64_t delay_ns; /* of the last failure; 0: there was none */
};

/* The delay after one more failure, between three quarters of the step and the whole of it. */
uint64_t backoff_next(struct backoff *b, uint32_t chance);

/* An attempt has succeeded. */
void backoff_reset(struct backoff *b);

#endif
