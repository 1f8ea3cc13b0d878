/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who maps a page: which groups of processes, and how often each of them. Pages of a library, or of memory that was shared by
 * a fork, are mapped by the same ones by the thousand, so each such party has a number, and is kept once. One more mapping
 * of a page makes another party of its party, which is looked up, or new.
 *
 * Who may map memory at will can make a party of its own for each page. So there is an end to them: PARTIES_MANY is the party
 * of all pages beyond, of which nobody knows any more who maps them. A page that one group alone maps is never of it but
 * for the number of its mappings: of those there is room for more. Pure.
 */
#ifndef MEMTALLY_INSIDE_PARTIES_H
#define MEMTALLY_INSIDE_PARTIES_H

#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"

enum {
	PARTIES_NOBODY, /* what no mapping was seen of */
	PARTIES_MANY,
	PARTIES_FIRST,
	PARTIES_SHARED_MAX = 1 << 18, /* as many are kept of several groups, */
	PARTIES_ALONE_MAX = 1 << 19,  /* and as many in all */
};

/* A group in it, and the party without that group. */
struct party {
	uint32_t before;
	uint32_t group;
	uint32_t count; /* mappings of .group's; the last number stands for more */
	uint32_t seen;  /* mappings of all its groups'; likewise */
};

enum { PARTIES_NEAR = 64 };

struct parties {
	struct party *party; /* owned; by number, from PARTIES_FIRST on */
	uint32_t count, room;
	uint32_t shared_max, alone_max; /* 0: as above */
	uint32_t *index;                /* open addressing: a number, or 0 */
	size_t index_size;
	struct {
		uint32_t from, group, to;
	} near[PARTIES_NEAR]; /* what was asked last */
};

/* Zeroed, but for .shared_max and .alone_max, it is empty. */
void parties_done(struct parties *p);
#define AUTO_PARTIES CLEANUP(parties_done)

/*
 * What the party NUMBER becomes where GROUP maps the page once more. The mappings of one group follow each other: none of
 * another's may come between. -ENOMEM.
 */
int parties_join(struct parties *p, uint32_t number, uint32_t group, uint32_t *ret);

/* The party of that number, from PARTIES_FIRST on and below .count. */
static inline const struct party *parties_at(const struct parties *p, uint32_t number)
{
	return &p->party[number];
}

/* How many groups it has. */
uint32_t parties_groups(const struct parties *p, uint32_t number);

/* Bytes that they take. */
size_t parties_bytes(const struct parties *p);

#endif
