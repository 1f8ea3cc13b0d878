/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How often a thing may be: so many times at once, and in the long run once in an interval. A bucket of tokens, which is
 * kept as the time at which it is full again, so that nothing has to be done for it between two of them. Pure.
 */
#ifndef MEMTALLY_WEB_RATE_H
#define MEMTALLY_WEB_RATE_H

#include <stdbool.h>
#include <stdint.h>

struct rate {
	uint64_t interval_ns; /* in which one token comes; 0: there is no limit */
	uint64_t burst;       /* tokens that the bucket holds */
	uint64_t full_ns;     /* when it is full, if nothing is taken till then; past: it is */
};

/* A full one. BURST is 1 or more where INTERVAL_NS is not 0, and both multiplied are nanoseconds of 64 bits. */
void rate_init(struct rate *r, uint64_t interval_ns, uint64_t burst);

/* Takes a token at NOW, which never goes back; false: there is none, and nothing has changed. */
bool rate_take(struct rate *r, uint64_t now_ns);

#endif
