/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One segment, and what it is to one of its sharers: for segments.c, which keeps them, and portions.c, which reads them.
 */
#ifndef MEMTALLY_COLLECTORS_SEGMENT_H
#define MEMTALLY_COLLECTORS_SEGMENT_H

#include <stdbool.h>
#include <stdint.h>

#include "collectors/experience.h"
#include "collectors/flow.h"
#include "collectors/segments.h"

struct segment {
	uint64_t key;
	uint64_t resident; /* of all sharers, in FLOW_UNIT */
	/*
	 * What sharers had when they became known, late if they had been there before, joined if
	 * they had not; added up since there is the segment, and not taken off when they leave:
	 * only what was added since a measurement counts.
	 */
	uint64_t late, joined;
	struct flow flow; /* of all who ever mapped it, and of comings and goings, at most */
	struct experience experience; /* of those of whose shared memory it is nearly all */
	uint32_t joined_most;         /* in FLOW_UNIT; what .flow has of those who .joined */
	uint32_t count;
};

/* All in FLOW_UNIT. */
struct segment_link {
	struct segment *segment;
	/*
	 * At the measurement: the segment's .resident less its .late; until it is settled, what
	 * others_of() said. Modulo 2^64, for more may have come late, and left, than is resident.
	 * With the .late of any later moment it is what all had at the measurement, those included
	 * who were known only then; of two such sums the difference counts.
	 */
	uint64_t sum;
	struct flow flow;  /* at the measurement, of others */
	uint32_t mapped;   /* at most this is resident */
	uint32_t resident; /* as far as is known */
	uint32_t measured; /* that it was at the measurement */
	bool is_shmem;
};

/* The shared memory that nearly all of S's is; NULL: there is none. */
const struct segment_link *segment_main_shmem(const struct sharer *s);

#endif
