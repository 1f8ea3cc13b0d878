/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How many requests got which status. The list is closed, so that every series is there from the start
 * and a first error is a rise from 0.
 */
#ifndef MEMTALLY_WEB_COUNTERS_H
#define MEMTALLY_WEB_COUNTERS_H

#include <stddef.h>
#include <stdint.h>

enum { COUNTERS_STATUSES = 12 };

/* Every status that an answer of ours can have, in rising order. */
extern const unsigned int counters_status[COUNTERS_STATUSES];

struct counters {
	uint64_t answers[COUNTERS_STATUSES];
};

/* STATUS is in the list. */
void counters_add(struct counters *c, unsigned int status);

#endif
