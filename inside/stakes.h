/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What groups of processes have of the pages that they map: what nobody else has, a part of what they share, and who
 * shares how much with whom. By whom a page is mapped its party says (parties.h), and how often the kernel's count of its
 * mappings: where that is more than were seen, somebody maps it, too, whom nobody has looked at: the others. They are
 * taken for one more group. Pure.
 */
#ifndef MEMTALLY_INSIDE_STAKES_H
#define MEMTALLY_INSIDE_STAKES_H

#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "inside/parties.h"

enum stake_kind {
	STAKE_ANON,
	STAKE_SHMEM,
	STAKE_SHMEM_KEPT, /* that stays when who maps it ends: others could, or it has a name */
	STAKE_FILE,
	STAKE_RSS_KINDS, /* what is in RSS ends here */
	STAKE_HUGETLB = STAKE_RSS_KINDS,
	STAKE_SWAP,
	STAKE_KINDS
};

/* Bytes. */
struct stake {
	uint64_t resident[STAKE_KINDS]; /* each page once; of STAKE_SWAP, swapped */
	uint64_t unique[STAKE_KINDS];   /* of these what nobody else maps */
	uint64_t
		rss; /* each page as often as it is mapped; this and the next two of what is in RSS */
	uint64_t pss; /* each page divided by its mappings; rounded down */
	uint64_t
		fair; /* each page divided by the groups that map it: those of all, and the others', add up to .resident of all */
	uint64_t
		unmapped; /* that is in nobody's page tables and goes with the group; in nothing of the above */
};

struct stakes_pages {
	uint64_t known[STAKE_KINDS];  /* that nobody maps but its party */
	uint64_t shared[STAKE_KINDS]; /* that others map, too */
};

struct stakes {
	const struct parties *parties; /* borrowed */
	uint64_t page_bytes;
	uint32_t groups;
	struct stake *group;        /* owned; by group */
	struct stakes_pages *pages; /* owned; by party */
	unsigned __int128 *pss;     /* owned; by group and then the others', in 2^-32 bytes */
	struct stake
		all; /* .resident: each page once; .unique: what only one group maps, all of these together; .rss, .pss
	                        and .unmapped of all groups, .fair nothing */
	struct stake
		others; /* .resident: what they share with the groups; .unique and .rss nothing */
	uint64_t many;  /* bytes of PARTIES_MANY: nobody's but in .all */
	uint64_t
		changed; /* bytes that were mapped by fewer when they were looked at again: they are whose they were */
	uint64_t gone; /* likewise by nobody, or that the kernel does not count: in nothing */
};

/* Of GROUPS groups, 0 and on, whose PARTIES stay as they are. -ENOMEM. */
int stakes_init(
	struct stakes *s, const struct parties *parties, uint32_t groups, uint64_t page_bytes);
void stakes_done(struct stakes *s);
#define AUTO_STAKES CLEANUP(stakes_done)

/*
 * A page of PARTY, which the kernel says is mapped MAPPED times. Where it does not say, UINT64_MAX: as often as was seen.
 */
void stakes_add(struct stakes *s, uint32_t party, enum stake_kind kind, uint64_t mapped);

/* BYTES that nobody has mapped, and that come back when GROUP ends. */
void stakes_add_unmapped(struct stakes *s, uint32_t group, uint64_t bytes);

/* All have been added: fills .group, .all and .others. -ENOMEM. */
int stakes_end(struct stakes *s);

/* All of a stake's that is in RSS. */
uint64_t stake_resident(const struct stake *s);
uint64_t stake_unique(const struct stake *s);

/*
 * What of RSS each two of the COUNT groups in GROUP both map, in bytes, in RET, which has COUNT rows of COUNT; and in the diagonal
 * what each has. -ENOMEM.
 */
int stakes_matrix(const struct stakes *s, const uint32_t *group, size_t count, uint64_t *ret);

#endif
