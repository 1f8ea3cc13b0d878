/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Request Counters
 *
 * Counts answered requests by status code. The list of status codes is fixed, so that every series
 * exists from the start and a first error is a rise from 0.
 */
#ifndef MEMTALLY_WEB_OWN_COUNTERS_H
#define MEMTALLY_WEB_OWN_COUNTERS_H

#include <stddef.h>
#include <stdint.h>

enum { COUNTERS_STATUSES = 12 };

/* Every status code that memtally-web sends, in rising order. */
extern const unsigned int counters_status[COUNTERS_STATUSES];

struct counters {
	uint64_t answers[COUNTERS_STATUSES];
};

/* Counts one answer with STATUS, which must be in the list. */
void counters_add(struct counters *c, unsigned int status);

#endif
