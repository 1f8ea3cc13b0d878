/* SPDX-License-Identifier: Apache-2.0 */
/* Points of the past for tests of web/history: amounts of the host and of users. */
#ifndef MEMTALLY_TESTS_UNIT_WEB_HISTORY_PAST_H
#define MEMTALLY_TESTS_UNIT_WEB_HISTORY_PAST_H

#include <math.h>

#include "tests/unit/support/unit.h"
#include "web/history/ring.h"

/*
 * PSS of users "a", "b", "c" ... in a point; negative: the point does not have the user; NAN: it is
 * not known.
 */
struct past_point {
	double at_s, length_s; /* seconds since the epoch; seconds */
	double host;           /* negative: the point does not have the host */
	double user[8];
};

static inline void past_put(struct ring *r, enum metric_scope scope, uint32_t id, const char *name,
	double value, bool has_bounds)
{
	float q[RING_QUANTITIES];

	for (size_t i = 0; i < RING_QUANTITIES; i++)
		q[i] = NAN;
	q[RING_PSS] = (float)value;
	q[RING_PSS_LOW] = has_bounds ? (float)(value / 2) : NAN;
	q[RING_PSS_HIGH] = has_bounds ? (float)(value * 2) : NAN;
	ring_add(r, scope, id, name, "", q);
}

/* Adds P to R. If not HAS_BOUNDS, the amounts have no bounds, as those of the ledger. */
static inline void past_add(struct ring *r, const struct past_point *p, bool has_bounds)
{
	ring_begin(r, (uint64_t)(p->at_s * 1000) * NS_PER_MSEC, 0,
		(uint64_t)(p->length_s * 1000) * NS_PER_MSEC);
	if (p->host >= 0)
		past_put(r, METRIC_HOST, 0, "", p->host, has_bounds);
	for (uint32_t i = 0; i < 8; i++) {
		char name[2] = {(char)('a' + i), 0};

		if (!(p->user[i] < 0))
			past_put(r, METRIC_USER, 1000 + i, name, p->user[i], has_bounds);
	}
	assert_int_equal(ring_end(r), 0);
}

#endif
