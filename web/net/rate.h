/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rate Limit
 *
 * Limits how often something may happen: up to .burst times at once, and in the long run once in
 * .interval_ns. It is a token bucket, stored as the time at which the bucket is full again, so that
 * it needs no timer. Pure.
 */
#ifndef MEMTALLY_WEB_NET_RATE_H
#define MEMTALLY_WEB_NET_RATE_H

#include <stdbool.h>
#include <stdint.h>

struct rate {
	uint64_t interval_ns; /* ns in which one token is added; 0: no limit */
	uint64_t burst;       /* tokens that a full bucket holds */
	uint64_t full_ns;     /* ns; when the bucket is full again; past: it is full */
};

/*
 * Begins with a full bucket. If INTERVAL_NS is not 0, BURST must be 1 or more, and BURST *
 * INTERVAL_NS must fit into 64 bits.
 */
void rate_init(struct rate *r, uint64_t interval_ns, uint64_t burst);

/*
 * Takes a token at NOW_NS, which never goes back between calls. Returns false if there is no token,
 * and changes nothing.
 */
bool rate_take(struct rate *r, uint64_t now_ns);

#endif
