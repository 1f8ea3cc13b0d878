/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a page of an address space is, from all that the kernel says of it: pagemap's entry, what a scan of pagemap calls it, and
 * where that is shown, how often its frame is mapped and what is in that. Pure.
 */
#ifndef MEMTALLY_INSIDE_PAGE_H
#define MEMTALLY_INSIDE_PAGE_H

#include <stdbool.h>
#include <stdint.h>

enum page_state {
	PAGE_NONE,     /* nothing was ever there, or it was given back */
	PAGE_RESIDENT, /* part of the RSS */
	PAGE_ZERO,     /* read and never written: the one page of zeros, which is in nobody's RSS */
	PAGE_DEVICE,   /* mapped, but no memory that the kernel counts */
	PAGE_SWAPPED,
	PAGE_HUGETLB, /* in no RSS either */
	PAGE_STATES
};

/* "resident", "zero" ... */
const char *page_state_name(enum page_state state);

/* What the kernel says; what it does not, is not looked at. */
struct page_facts {
	uint64_t entry; /* inside/pagemap.h */
	bool has_categories;
	uint64_t categories; /* likewise */
	bool has_frame;
	uint64_t mappings, flags; /* inside/frames.h */
	bool is_hugetlb;          /* the mapping is */
};

struct page {
	uint64_t address;
	enum page_state state;
	bool is_file;             /* a file's, or shared memory; else anonymous */
	bool is_exclusive;        /* nobody else maps it */
	bool knows_huge, is_huge; /* mapped as a part of one huge page */
	bool knows_frame;         /* what follows: */
	uint64_t frame;
	uint64_t mappings; /* at least 1 */
	uint64_t flags;
};

struct page page_of(uint64_t address, const struct page_facts *facts);

/* Written to, as far as that is known: anonymous pages always were; a file's, as its frame says. False: it is not known. */
bool page_is_dirty(const struct page *p, bool *ret);

#endif
