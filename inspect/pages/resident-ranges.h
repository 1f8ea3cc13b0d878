/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Resident Ranges
 *
 * Stores which pages of an address range are resident or swapped, so that the bytes between any two
 * addresses are found in logarithmic time, also for many overlapping queries. Each such page takes
 * 32 bytes. Pure.
 */
#ifndef MEMTALLY_INSPECT_PAGES_RESIDENT_RANGES_H
#define MEMTALLY_INSPECT_PAGES_RESIDENT_RANGES_H

#include <stddef.h>
#include <stdint.h>

#include "inspect/pages/page.h"

enum resident_ranges_field {
	RESIDENT_RANGES_RESIDENT,
	RESIDENT_RANGES_PRIVATE, /* part of resident: no other mapping has the page */
	/* Part of resident: anonymous pages; they were written to since they were mapped. */
	RESIDENT_RANGES_WRITTEN,
	/* Part of resident: anonymous pages, and pages of files not yet written to disk. */
	RESIDENT_RANGES_DIRTY,
	RESIDENT_RANGES_SWAPPED,
	RESIDENT_RANGES_FIELDS
};

struct resident_ranges_page {
	uint64_t number;                         /* address / page size */
	uint32_t before[RESIDENT_RANGES_FIELDS]; /* pages before this one, by field */
};

struct resident_ranges {
	uint64_t page_size;                /* bytes; set by the owner */
	struct resident_ranges_page *page; /* owned; by rising number */
	size_t count, room;
	uint32_t sum[RESIDENT_RANGES_FIELDS]; /* pages in all, by field */
};

/* Frees what R owns, and zeroes it. */
void resident_ranges_done(struct resident_ranges *r);
#define AUTO_RESIDENT_RANGES CLEANUP(resident_ranges_done)

/* Removes all pages, for the next range. */
void resident_ranges_clear(struct resident_ranges *r);

/*
 * Adds page P, which must be above the pages before. Pages that are neither resident nor swapped
 * are ignored. Returns 0; -ENOMEM; or -EINVAL: P is not above.
 */
int resident_ranges_add(struct resident_ranges *r, const struct page *p);

/* Adds to RET, for each field, the bytes of [START, END) on such pages. */
void resident_ranges_sum(const struct resident_ranges *r, uint64_t start, uint64_t end,
	uint64_t ret[static RESIDENT_RANGES_FIELDS]);

#endif
