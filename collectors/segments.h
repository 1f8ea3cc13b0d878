/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Segments: files and shared memory of at least 256 KiB by device and inode, and who maps them. Of each segment the sum
 * of what its sharers have resident is known, since that is sensed. The pages of a segment are once in all PSS of
 * its sharers together, however many map them: portions.h tells by that what one's part of it counts.
 *
 * Which segment of several a process has resident, and where it grows, nobody says: see segments.c. Pure.
 */
#ifndef MEMTALLY_COLLECTORS_SEGMENTS_H
#define MEMTALLY_COLLECTORS_SEGMENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collectors/estimate.h"
#include "collectors/flow.h"
#include "collectors/keytable.h"
#include "collectors/maps.h"

struct segment_link;

/* One who maps segments; all zeros maps none. For reading alone. */
struct sharer {
	struct segment_link *link; /* owned: the largest first */
	struct flow own;           /* of its counter, from 0 on when it was born */
	uint32_t mapped_file;      /* in FLOW_UNIT: its counter when its maps were read */
	/* Of the shared memory that nearly all of its is: how far off what others had when it was measured may be. */
	uint32_t unsure; /* in FLOW_UNIT */
	uint16_t odd;    /* how far off its figures were; see experience.h */
	uint8_t count;
	bool is_mapped : 1; /* its maps have been read */
	bool is_open : 1;   /* it was measured and has not been settled since */
};

/*
 * Whether the maps of S, measured as BASE, should be read: it shares SEGMENTS_SHARED_MIN of file or shmem or more, and
 * they were never read, or what it has of files has moved by a quarter since; or it has as much shared memory that is of
 * no segment known, and has moved by less; or most of 8 MiB or more of shared memory is its own, or shared with no process that is
 * known, so that its segments may be new ones.
 */
enum { SEGMENTS_SHARED_MIN = 256 << 10 }; /* bytes */
bool segments_wants_maps(const struct sharer *s, const struct estimate_base *base);

/*
 * How much shared memory S, measured as BASE, has more by NOW that is of no segment it is known to map, nor of small ones
 * that maps would not tell of either: others who have that share it by now, and nobody can tell who they are.
 */
uint64_t segments_stray(
	const struct sharer *s, const struct estimate_base *base, const struct estimate_now *now);

/*
 * S has these segments, at most MAPS_SEGMENTS, as its maps say, and was measured as BASE just now. WAS_THERE: it has
 * been since before others were measured, and was only not known. -ENOMEM: it keeps what it had.
 */
int segments_map(struct keytable *segments, struct sharer *s, const struct maps_segment *list,
	size_t count, const struct estimate_base *base, bool was_there);

/*
 * What the next measurement of a sharer tells of those with whom it shares; all zeros tells
 * nothing. For reading alone.
 */
struct segments_lesson {
	uint64_t key; /* of the segment */
	uint64_t
		sum; /* of others, when it was measured before; in FLOW_UNIT, modulo 2^64 (segments.c) */
	struct flow flow;                      /* of others, then */
	uint64_t then, then_pss, now, now_pss; /* what it had of it, and has; bytes */
};

/* S, measured as BEFORE, was FOUND so just now: what that teaches. Ask before segments_measured(). */
struct segments_lesson segments_lesson(const struct sharer *s, const struct estimate_base *before,
	const struct estimate_base *found);

/*
 * S was measured as BASE just now. Until segments_settle() nothing is said of it: who is new is measured after others
 * who have seen it, and what others had at that moment is known when they were looked at again.
 */
void segments_measured(struct sharer *s, const struct estimate_base *base);

/* S's counter has gone from BEFORE to NOW since it was as segments_measured() says, as others know already. */
void segments_since(struct sharer *s, uint64_t before, uint64_t now);

/*
 * All were looked at again: all that were there when S was measured are known now. PART of SEGMENTS_PART of the time
 * between the looks before and after had gone by then. Learns LESSON.
 */
enum { SEGMENTS_PART = 1 << 16 };
void segments_settle(struct sharer *s, uint32_t part, const struct segments_lesson *lesson);

/*
 * S's counter went from BEFORE to NOW; of one that is new, from 0 on. Of a newborn whose maps nobody has read PARENT
 * (or NULL) says what it maps.
 */
void segments_moved(struct sharer *s, const struct sharer *parent, uint64_t before, uint64_t now);

/* S ends. It is then all zeros. */
void segments_end(struct keytable *segments, struct sharer *s);

#endif
