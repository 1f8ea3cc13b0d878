/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Figures of Groups
 *
 * Computes the figures of groups of processes from the pages that they map: memory that a group has
 * alone, its share of shared pages, and how much each two groups share. The set of groups that map
 * a page is its set of owners (inspect/frames/owner-sets.h). If the kernel counts more mappings of
 * a page than were found, processes that were not read map it, too: they count as one more group,
 * the others. Pure.
 */
#ifndef MEMTALLY_INSPECT_FRAMES_FRAME_OWNERS_H
#define MEMTALLY_INSPECT_FRAMES_FRAME_OWNERS_H

#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "inspect/frames/owner-sets.h"

enum frame_owner_kind {
	FRAME_OWNER_ANON,       /* anonymous memory */
	FRAME_OWNER_SHMEM,      /* shared memory that is freed with the processes that map it */
	FRAME_OWNER_SHMEM_KEPT, /* shared memory that stays: another process maps it, or it has a name */
	FRAME_OWNER_FILE,       /* pages of files, which stay in the page cache */
	FRAME_OWNER_UNLINKED, /* files without a name: freed with the processes that map them */
	FRAME_OWNER_DRIVER,   /* packet rings, which are freed with the processes that map them */
	FRAME_OWNER_DRIVER_KEPT, /* packet rings that stay: another process has the socket open */
	/*
	 * Drivers' memory (vm_insert_page()): the kernel does not say what keeps it (BPF maps and
	 * others).
	 */
	FRAME_OWNER_DRIVER_UNTOLD,
	FRAME_OWNER_RSS_KINDS, /* the kinds above are in RSS */
	FRAME_OWNER_HUGETLB = FRAME_OWNER_RSS_KINDS,
	FRAME_OWNER_SWAP, /* pages in swap */
	FRAME_OWNER_KINDS
};

/* Figures of a group, in bytes. */
struct frame_owner {
	/* By kind: each page once; FRAME_OWNER_SWAP: swapped pages. */
	uint64_t resident[FRAME_OWNER_KINDS];
	/* Part of .resident: pages that no other group and no other process maps. */
	uint64_t unique[FRAME_OWNER_KINDS];
	/* The next three are of the kinds in RSS. */
	uint64_t rss; /* each page once for each mapping */
	uint64_t pss; /* each page divided by its mappings; rounded down */
	/*
	 * Each page divided by the number of groups that map it, the others included. The sum over
	 * all groups and .others is the resident memory of the kinds in RSS, without pages of
	 * OWNER_SETS_MANY.
	 */
	uint64_t fair;
	/* Shared memory in no page table that is freed with the group; in none of the above. */
	uint64_t unmapped;
};

struct frame_owners_pages {
	uint64_t known[FRAME_OWNER_KINDS];  /* pages that only the groups of the set map */
	uint64_t shared[FRAME_OWNER_KINDS]; /* pages that the others map, too */
};

struct frame_owners {
	const struct owner_sets *sets; /* borrowed */
	uint64_t page_bytes;
	uint32_t groups;
	struct frame_owner *group;        /* owned; by group */
	struct frame_owners_pages *pages; /* owned; by number of the set */
	unsigned __int128 *pss; /* owned; by group, and last that of the others, in 2^-32 bytes */
	/*
	 * Of all groups together: .resident: each page once; .unique: pages that only one group
	 * maps; .rss, .pss and .unmapped: sums over the groups; .fair: 0.
	 */
	struct frame_owner all;
	/*
	 * Of the others: .resident: pages that they share with the groups; .pss and .fair: their
	 * parts of these; .unique and .rss: 0.
	 */
	struct frame_owner others;
	uint64_t many; /* bytes of pages of OWNER_SETS_MANY: counted only in .all */
	/*
	 * Bytes of pages with fewer mappings at the end than were found: they count as they were
	 * found.
	 */
	uint64_t changed;
	/*
	 * Bytes of pages without a mapping at the end, or with mappings that the kernel does not
	 * count: in no figure.
	 */
	uint64_t gone;
};

/*
 * Begins S for GROUPS groups, numbered from 0. PAGE_BYTES: bytes of a page. SETS stays borrowed,
 * and must not change. Returns 0 or -ENOMEM.
 */
int frame_owners_init(struct frame_owners *s, const struct owner_sets *sets, uint32_t groups,
	uint64_t page_bytes);
/* Frees what S owns. */
void frame_owners_done(struct frame_owners *s);
#define AUTO_FRAME_OWNERS CLEANUP(frame_owners_done)

/*
 * Adds a page of KIND that SET maps; nothing if SET is OWNER_SETS_NOBODY. MAPPED: the kernel's
 * count of its mappings; UINT64_MAX if there is none: then it has as many as were found.
 */
void frame_owners_add(
	struct frame_owners *s, uint32_t set, enum frame_owner_kind kind, uint64_t mapped);

/* Adds BYTES of shared memory in no page table that are freed with GROUP. */
void frame_owners_add_unmapped(struct frame_owners *s, uint32_t group, uint64_t bytes);

/* Call once after the last page: fills .group, .all and .others. Returns 0 or -ENOMEM. */
int frame_owners_end(struct frame_owners *s);

/* Returns the sum of .resident over the kinds in RSS, in bytes. */
uint64_t frame_owner_resident(const struct frame_owner *s);

/* Returns the sum of .unique over the kinds in RSS, in bytes. */
uint64_t frame_owner_unique(const struct frame_owner *s);

/*
 * Writes to RET the resident bytes, of the kinds in RSS, that each two of the COUNT groups in GROUP
 * both map: COUNT rows of COUNT numbers, with the bytes of one group on the diagonal. Pages of
 * OWNER_SETS_MANY are in none. The numbers in GROUP must be distinct. Returns 0 or -ENOMEM.
 */
int frame_owners_matrix(
	const struct frame_owners *s, const uint32_t *group, size_t count, uint64_t *ret);

#endif
