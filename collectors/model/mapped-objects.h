/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Mapped Objects
 *
 * Files and shared memory of at least 256 KiB, by device and inode, and the processes that map them
 * (sharers). For each object this module keeps the sum of its sharers' resident memory, from their
 * counters. All PSS of an object together is the size of its pages in memory, however many
 * processes map it; object-share.h computes from that what the share of one process counts. Which
 * of several objects a process has resident, and which one grows, is guessed: see mapped-objects.c.
 * Pure.
 */
#ifndef MEMTALLY_COLLECTORS_MODEL_MAPPED_OBJECTS_H
#define MEMTALLY_COLLECTORS_MODEL_MAPPED_OBJECTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/keytable.h"
#include "collectors/model/counter-flow.h"
#include "collectors/model/estimate.h"
#include "collectors/model/object-error.h"
#include "collectors/procfs/maps.h"

/* Other modules only read it. */
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

/* A sharer's part of an object. All in COUNTER_FLOW_UNIT. Other modules only read it. */
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

/* A process as a sharer of mapped objects. All zeros: it maps none. Other modules only read it. */
struct sharer {
	struct mapped_object_link *link; /* owned array of .count; the largest mapping first */
	struct counter_flow own; /* of its counter of files and shmem, from 0 at its birth */
	uint32_t mapped_file;    /* its counter when its maps were read, in COUNTER_FLOW_UNIT */
	uint16_t odd;            /* how far its earlier estimates were off; see object-error.h */
	uint8_t count;
	bool is_mapped : 1; /* its maps have been read */
	bool is_open : 1;   /* it was measured, and mapped_objects_settle() is still to come */
};

/*
 * Returns the link of S to the shared memory that is more than 7/8 of all its shared memory; NULL:
 * there is none. Borrowed from S.
 */
const struct mapped_object_link *mapped_objects_main_shmem(const struct sharer *s);

enum { MAPPED_OBJECTS_SHARED_MIN = 256 << 10 }; /* bytes */

/*
 * Returns true if the maps of S, measured as BASE, should be read:
 * - S shares at least MAPPED_OBJECTS_SHARED_MIN of files and shmem, and its maps were never read,
 *   or its counter has moved by more than a quarter since;
 * - or at least MAPPED_OBJECTS_SHARED_MIN of its shared memory is of no known object, and its maps
 *   were never read, or its counter has moved by more than a 16th since;
 * - or it has 8 MiB or more of shared memory, which is at least an eighth of its RSS and mostly
 *   private or shared with no known process: the objects may be new ones.
 */
bool mapped_objects_wants_maps(const struct sharer *s, const struct estimate_base *base);

/*
 * Returns by how many bytes of shared memory S, measured as BASE, has grown by NOW that fit neither
 * in the objects it is known to map, nor in small ones that maps would not report. Unknown
 * processes may share these.
 */
uint64_t mapped_objects_stray(
	const struct sharer *s, const struct estimate_base *base, const struct estimate_now *now);

/*
 * S maps the COUNT objects in LIST (at most MAPS_OBJECTS are used), as its maps say, and was
 * measured as BASE just now. OBJECTS is the table of all objects. WAS_THERE: S has mapped them
 * since before other sharers were measured, and was only not known. Returns 0, or -ENOMEM: then S
 * keeps its former objects.
 */
int mapped_objects_map(struct keytable *objects, struct sharer *s, const struct maps_object *list,
	size_t count, const struct estimate_base *base, bool was_there);

/*
 * Facts from two measurements of a sharer, for the other sharers of its main shared memory. All
 * zeros: nothing. Other modules only read it.
 */
struct mapped_objects_lesson {
	uint64_t key; /* of the object */
	/*
	 * .sum of its link at the former measurement, without itself; in COUNTER_FLOW_UNIT, modulo
	 * 2^64
	 */
	uint64_t sum;
	struct counter_flow flow; /* of the others, at that time */
	/* its shared memory at the former measurement and now, RSS and PSS, in bytes */
	uint64_t then, then_pss, now, now_pss;
};

/*
 * S was measured as FOUND just now, and its former base was BEFORE (NULL: it had none): divides its
 * shared memory among its objects. Until mapped_objects_settle() no doubt is derived for S: what
 * the others had at that moment is known only after the next poll of all processes. Returns what
 * mapped_objects_settle() may learn from it.
 */
struct mapped_objects_lesson mapped_objects_measured(
	struct sharer *s, const struct estimate_base *before, const struct estimate_base *found);

/*
 * S's counter of files and shmem has moved from BEFORE to NOW, in bytes, since the time of its last
 * measurement: corrects S's part of its objects. The objects' flows know about that movement
 * already.
 */
void mapped_objects_since(struct sharer *s, uint64_t before, uint64_t now);

enum { MAPPED_OBJECTS_PART = 1 << 16 }; /* unit of a part of the time between two polls */

/*
 * All processes were polled again, so that all that were there when S was measured are known:
 * computes what the others had at that moment. PART: when S was measured, in MAPPED_OBJECTS_PART of
 * the time between the polls before and after. Learns LESSON (all zeros: none).
 */
void mapped_objects_settle(
	struct sharer *s, uint32_t part, const struct mapped_objects_lesson *lesson);

/*
 * S's counter of files and shmem has moved from BEFORE to NOW, in bytes; for a new process, from 0.
 * Adds the movement to the flows of S's objects, and to S's part of them. If S is a newborn without
 * maps, PARENT (or NULL) tells which objects it maps.
 */
void mapped_objects_moved(
	struct sharer *s, const struct sharer *parent, uint64_t before, uint64_t now);

/*
 * S has exited or called exec: takes S from its objects, adds what S may have had to their flows as
 * lost, and frees objects without other sharers. S is then all zeros.
 */
void mapped_objects_end(struct keytable *objects, struct sharer *s);

#endif
