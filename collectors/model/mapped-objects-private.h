/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Mapped objects, and the link of a sharer to one. mapped-objects.c writes them, object-share.c
 * reads them. Nothing else includes this header.
 */
#ifndef MEMTALLY_COLLECTORS_MODEL_MAPPED_OBJECTS_PRIVATE_H
#define MEMTALLY_COLLECTORS_MODEL_MAPPED_OBJECTS_PRIVATE_H

#include <stdbool.h>
#include <stdint.h>

#include "collectors/model/counter-flow.h"
#include "collectors/model/mapped-objects.h"
#include "collectors/model/object-error.h"

struct mapped_object {
	uint64_t key;
	uint64_t resident; /* of all sharers, in COUNTER_FLOW_UNIT */
	/* Resident memory of sharers when they became known: .late if they had mapped it before,
	 * .joined if not. Sums since the object became known; nothing is taken off when sharers
	 * leave, because only what was added since a measurement counts. In COUNTER_FLOW_UNIT. */
	uint64_t late, joined;
	/* of all sharers ever, with arrivals and departures at their upper bounds */
	struct counter_flow flow;
	struct object_error error; /* from sharers that have it as their main shared memory */
	/* in COUNTER_FLOW_UNIT: the part of .flow that comes from sharers in .joined */
	uint32_t joined_most;
	uint32_t count;
};

/* A sharer's part of an object. All in COUNTER_FLOW_UNIT. */
struct mapped_object_link {
	struct mapped_object *object;
	/* At the measurement: the object's .resident less its .late; until the sharer is settled,
	 * the object's .resident less its .late and .joined and less this link's .resident. Modulo
	 * 2^64, because more may have come late, and left, than is resident. Together with .late at
	 * any later moment it is the resident memory of all sharers at the measurement, including
	 * those that became known only then. Only the difference of two such sums counts. */
	uint64_t sum;
	struct counter_flow flow; /* of the others, at the measurement */
	uint32_t mapped;          /* upper bound of .resident */
	uint32_t resident;        /* as far as is known */
	uint32_t measured;        /* .resident at the measurement */
	bool is_shmem;
};

/*
 * Returns the link of S to the shared memory that is more than 7/8 of all its shared memory; NULL:
 * there is none. Borrowed from S.
 */
const struct mapped_object_link *mapped_objects_main_shmem(const struct sharer *s);

#endif
