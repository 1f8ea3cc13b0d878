/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One who may be of a family and share segments, as kin (kin.h) and its ancestors (ancestry.h) know it. For the files
 * of those two to write.
 */
#ifndef MEMTALLY_COLLECTORS_KIN_MEMBER_H
#define MEMTALLY_COLLECTORS_KIN_MEMBER_H

#include <stdbool.h>
#include <stdint.h>

#include "collectors/breaks.h"
#include "collectors/degree.h"
#include "collectors/flow.h"
#include "collectors/segments.h"

struct kin_family;
struct kin_ancestor;

/* All zeros is a member of nothing. For reading alone. */
struct kin_member {
	struct kin_family *family;          /* NULL: alone, or its range is not known */
	struct kin_member *previous, *next; /* of the family, as they became known */
	struct breaks_writer writer;        /* what it has let go of by writing to it */
	struct kin_ancestor
		*ancestor; /* its own record if .has_forked, else its parent's; NULL: none */
	uint64_t key;      /* of its range; 0: not known */
	uint64_t serial;   /* rises along the family's list */
	uint64_t
		line; /* the serial by which its line left its parent's: its own, or an ancestor's who is gone */
	uint64_t seen;           /* who was there at its measurement has this or less */
	uint64_t born_ns;        /* CLOCK_BOOTTIME, as its start time says */
	uint64_t image_ns;       /* CLOCK_BOOTTIME: no exec that is known of is older; 0: none is */
	uint64_t measured_ns;    /* CLOCK_BOOTTIME; 0: never */
	uint64_t suspected;      /* bytes to which it may have written since */
	struct sharer sharer;    /* of segments */
	struct flow family_flow; /* the others' of its family when it was measured */
	struct degree_outside outside; /* of its family, that its parent's has */
	uint32_t then;     /* how many were there at its measurement, itself among them */
	uint32_t kept;     /* of those, still here; this and the next five as of kin_affected() */
	uint32_t fresh;    /* born since */
	uint32_t children; /* of those, its own descendants */
	uint32_t strays;   /* born since, or of such a line, of parents that are not known */
	uint32_t early;    /* of the fresh, those that may have been there already */
	uint32_t unsure;   /* deaths that its measurement may or may not have seen */
	/* Beside them it was found to share with these, of whom the next pass tells whether they are gone, */
	uint32_t unseen;
	uint32_t gone;    /* these, who are taken to be gone, and are in .then, */
	uint32_t lasting; /* and these, who are always there, and are not */
	/* Children of another range that it has forked since. */
	uint32_t departed;
	uint32_t measured_at : 30; /* where it is among .measured, while .sharer is open */
	bool is_forked : 1;        /* of a member that is known, of its family or not */
	bool has_forked : 1;
	bool is_again : 1; /* measured for the second time, the first one having been right after its birth */
};

#endif
