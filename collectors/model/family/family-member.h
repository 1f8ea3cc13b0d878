/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A process as a member of a fork family and a sharer of mapped objects. Only fork-families.c and
 * family-ancestry.c, with their helpers, write it.
 */
#ifndef MEMTALLY_COLLECTORS_MODEL_FAMILY_FAMILY_MEMBER_H
#define MEMTALLY_COLLECTORS_MODEL_FAMILY_FAMILY_MEMBER_H

#include <stdbool.h>
#include <stdint.h>

#include "collectors/model/counter-flow.h"
#include "collectors/model/family/cow-breaks.h"
#include "collectors/model/mapped-objects.h"
#include "collectors/model/share-count.h"

struct fork_family;
struct family_ancestor;

/* All zeros: in no family. Other modules only read it. */
struct family_member {
	struct fork_family *family; /* NULL: alone, or its range is not known */
	/* neighbours in the family's list, which is in the order in which members became known */
	struct family_member *previous, *next;
	struct cow_breaks_writer writer; /* its copy-on-write breaks */
	/* its own record if .has_forked, else its parent's; NULL: none */
	struct family_ancestor *ancestor;
	uint64_t key;    /* of its range; 0: not known */
	uint64_t serial; /* rises along the family's list */
	/* the serial at which its lineage left its parent's: its own, or that of an exited ancestor
	 * between them */
	uint64_t line;
	uint64_t seen;    /* members that were there at its measurement have this serial or less */
	uint64_t born_ns; /* CLOCK_BOOTTIME, as its start time says */
	/* CLOCK_BOOTTIME: its last known exec is not older; 0: it has had none */
	uint64_t image_ns;
	uint64_t measured_ns;            /* CLOCK_BOOTTIME; 0: never */
	uint64_t suspected;              /* bytes of shared memory that it may have written since */
	struct sharer sharer;            /* of mapped objects */
	struct counter_flow family_flow; /* of the other members, when it was measured */
	/* sharers outside of its family that its parent's family has */
	struct share_count_outside outside;
	/* Numbers of members of the family. */
	uint32_t then;  /* at its measurement, itself included */
	uint32_t kept;  /* of .then, still here; this and the next six as of families_affected() */
	uint32_t fresh; /* born since its measurement */
	uint32_t children; /* of .fresh, its own descendants */
	/* of .fresh, or of their lineages, those with parents that are not known: any member
	 * measured before may be the parent */
	uint32_t strays;
	uint32_t early;   /* of .fresh, those that may have been there at the measurement */
	uint32_t leaving; /* of .kept, those that are freeing their memory: see families_leaves() */
	uint32_t unsure;  /* exits that its measurement may or may not have seen */
	/* Numbers of unlisted sharers: its measurement implied them, and no pass has listed
	 * them. */
	uint32_t unseen;   /* the next pass tells whether they are gone */
	uint32_t gone;     /* taken for gone; they are in .then */
	uint32_t lasting;  /* always there; they are not in .then */
	uint32_t departed; /* children of another range that it has forked since */
	/* its place in .measured of struct families, while .sharer is open */
	uint32_t measured_at : 28;
	bool is_forked : 1; /* from a known member, of its family or not */
	bool has_forked : 1;
	bool is_leaving : 1; /* families_leaves() was called */
	/* measured for the second time, and for the first time right after its birth */
	bool is_again : 1;
};

#endif
