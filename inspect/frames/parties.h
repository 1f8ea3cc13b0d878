/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Owner Sets
 *
 * The set of groups that map a page, with the number of mappings of each group. Thousands of pages
 * of a library, or of memory shared by a fork, have the same set, so each set (party) is stored
 * once and has a number. One more mapping of a page turns its set into another one, which is looked
 * up or new. Pure.
 *
 * A user can map memory so that each page has a set of its own, so the number of sets is limited.
 * Pages beyond the limit have the set PARTIES_MANY: their groups are unknown. Sets of a single
 * group differ only in the number of mappings, and have a higher limit.
 */
#ifndef MEMTALLY_INSPECT_FRAMES_PARTIES_H
#define MEMTALLY_INSPECT_FRAMES_PARTIES_H

#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"

enum {
	PARTIES_NOBODY, /* no mapping was found */
	PARTIES_MANY,   /* the limit is reached: the groups are unknown */
	PARTIES_FIRST,
	PARTIES_SHARED_MAX = 1 << 18, /* limit of set numbers for sets of several groups, */
	PARTIES_ALONE_MAX = 1 << 19,  /* and for sets of one group */
};

/* A set: one group, and the set of the other groups. */
struct party {
	uint32_t before; /* number of the set of the other groups; PARTIES_NOBODY: none */
	uint32_t group;
	uint32_t count; /* mappings of .group; UINT32_MAX: or more */
	uint32_t seen;  /* mappings of all groups of the set; UINT32_MAX: or more */
};

enum { PARTIES_NEAR = 64 };

struct parties {
	struct party *party; /* owned; by number; valid from PARTIES_FIRST on */
	uint32_t count, room;
	uint32_t shared_max, alone_max; /* 0: PARTIES_SHARED_MAX and PARTIES_ALONE_MAX */
	uint32_t *index; /* hash table with open addressing: a number of a set, or 0 */
	size_t index_size;
	struct {
		uint32_t from, group, to;
	} near[PARTIES_NEAR]; /* recent results of parties_join() */
};

/*
 * Frees what P owns, and zeroes it. A zeroed P is empty; the caller may set .shared_max and
 * .alone_max before the first use.
 */
void parties_done(struct parties *p);
#define AUTO_PARTIES CLEANUP(parties_done)

/*
 * Writes to *RET the set that set NUMBER becomes when GROUP maps the page once more. All mappings
 * of one group must be joined one after the other, without those of another group in between.
 * Returns 0 or -ENOMEM.
 */
int parties_join(struct parties *p, uint32_t number, uint32_t group, uint32_t *ret);

/* Returns the set NUMBER, which is from PARTIES_FIRST on and below .count. */
static inline const struct party *parties_at(const struct parties *p, uint32_t number)
{
	return &p->party[number];
}

/* Returns the number of groups of set NUMBER, which is not PARTIES_MANY. */
uint32_t parties_groups(const struct parties *p, uint32_t number);

/* Returns the bytes of memory that P uses. */
size_t parties_bytes(const struct parties *p);

#endif
