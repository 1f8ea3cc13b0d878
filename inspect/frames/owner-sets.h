/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Owner Sets
 *
 * The set of groups that map a page, with the number of mappings of each group. Thousands of pages
 * of a library, or of memory shared by a fork, have the same set, so each set is stored once and
 * has a number. One more mapping of a page turns its set into another one, which is looked up or
 * new. Pure.
 *
 * A user can map memory so that each page has a set of its own, so the number of sets is limited.
 * Pages beyond the limit have the set OWNER_SETS_MANY: their groups are unknown. Sets of a single
 * group differ only in the number of mappings, and have a higher limit.
 */
#ifndef MEMTALLY_INSPECT_FRAMES_OWNER_SETS_H
#define MEMTALLY_INSPECT_FRAMES_OWNER_SETS_H

#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "base/hashmap.h"

enum {
	OWNER_SETS_NOBODY, /* no mapping was found */
	OWNER_SETS_MANY,   /* the limit is reached: the groups are unknown */
	OWNER_SETS_FIRST,
	OWNER_SETS_SHARED_MAX = 1 << 18, /* limit of set numbers for sets of several groups, */
	OWNER_SETS_ALONE_MAX = 1 << 19,  /* and for sets of one group */
};

/* A set: one group, and the set of the other groups. */
struct owner_set {
	uint32_t before; /* number of the set of the other groups; OWNER_SETS_NOBODY: none */
	uint32_t group;
	uint32_t count; /* mappings of .group; UINT32_MAX: or more */
	uint32_t seen;  /* mappings of all groups of the set; UINT32_MAX: or more */
};

enum { OWNER_SETS_NEAR = 64 };

struct owner_sets {
	struct owner_set *set; /* owned; by number; valid from OWNER_SETS_FIRST on */
	uint32_t count;
	size_t room;
	uint32_t shared_max, alone_max; /* 0: OWNER_SETS_SHARED_MAX and OWNER_SETS_ALONE_MAX */
	struct hashmap index;           /* of .set */
	struct {
		uint32_t from, group, to;
	} near[OWNER_SETS_NEAR]; /* recent results of owner_sets_join() */
};

/*
 * Frees what S owns, and zeroes it. A zeroed S is empty; the caller may set .shared_max and
 * .alone_max before the first use.
 */
void owner_sets_done(struct owner_sets *s);
#define AUTO_OWNER_SETS CLEANUP(owner_sets_done)

/*
 * Writes to *RET the set that set NUMBER becomes when GROUP maps the page once more. All mappings
 * of one group must be joined one after the other, without those of another group in between.
 * Returns 0 or -ENOMEM.
 */
int owner_sets_join(struct owner_sets *s, uint32_t number, uint32_t group, uint32_t *ret);

/* Returns the number of groups of set NUMBER, which is not OWNER_SETS_MANY. */
uint32_t owner_sets_groups(const struct owner_sets *s, uint32_t number);

/* Returns the bytes of memory that S uses. */
size_t owner_sets_bytes(const struct owner_sets *s);

#endif
