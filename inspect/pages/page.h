/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pages
 *
 * Classifies one page of an address space from all that the kernel tells: its pagemap entry, its
 * categories from PAGEMAP_SCAN, and, if frames are shown, the mapping count and flags of its frame.
 * Pure.
 */
#ifndef MEMTALLY_INSPECT_PAGES_PAGE_H
#define MEMTALLY_INSPECT_PAGES_PAGE_H

#include <stdbool.h>
#include <stdint.h>

enum page_state {
	PAGE_NONE,     /* never touched, or given back */
	PAGE_RESIDENT, /* counted in RSS */
	PAGE_ZERO,     /* read and never written: the shared zero page, which is in no RSS */
	PAGE_DEVICE,   /* mapped, but not memory that the kernel counts */
	PAGE_SWAPPED,  /* in swap, or on its way to another frame */
	PAGE_HUGETLB,  /* page of hugetlbfs; in no RSS */
	PAGE_STATES
};

/* Returns the name of STATE, such as "resident" or "zero". */
const char *page_state_name(enum page_state state);

/* The facts about a page. Those that the kernel does not tell are ignored. */
struct page_facts {
	uint64_t entry; /* pagemap entry (inspect/pages/pagemap.h) */
	bool has_categories;
	uint64_t categories; /* PAGEMAP_IS_* (inspect/pages/pagemap.h) */
	bool has_frame;
	uint64_t mappings, flags; /* of the frame (inspect/pages/kpage.h) */
	bool is_hugetlb;          /* the mapping is of hugetlbfs */
};

struct page {
	uint64_t address; /* of the page */
	enum page_state state;
	bool is_file;      /* page of a file or shared memory; else anonymous */
	bool is_exclusive; /* no other mapping has the page */
	bool is_huge;      /* it is known to be mapped by one entry for a whole huge page */
	bool knows_frame;  /* the next three are valid */
	uint64_t frame;
	uint64_t mappings; /* mapping count of the frame, at least 1 */
	uint64_t flags;
};

/* Returns the page at ADDRESS with FACTS. */
struct page page_of(uint64_t address, const struct page_facts *facts);

/*
 * Writes to *RET whether P was written to: anonymous pages always were, pages of files if their
 * frame is dirty. Returns false if it is not known, because P is a file's and its frame is not
 * shown.
 */
bool page_is_dirty(const struct page *p, bool *ret);

#endif
