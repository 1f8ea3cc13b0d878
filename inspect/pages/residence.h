/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Resident Ranges
 *
 * Stores which pages of an address range are resident or swapped, so that the bytes between any two
 * addresses are found in logarithmic time, also for many overlapping queries. Each such page takes
 * 32 bytes. Pure.
 */
#ifndef MEMTALLY_INSPECT_PAGES_RESIDENCE_H
#define MEMTALLY_INSPECT_PAGES_RESIDENCE_H

#include <stddef.h>
#include <stdint.h>

#include "inspect/pages/page.h"

enum residence_field {
	RESIDENCE_RESIDENT,
	RESIDENCE_PRIVATE, /* part of resident: no other mapping has the page */
	/* Part of resident: anonymous pages; they were written to since they were mapped. */
	RESIDENCE_WRITTEN,
	/* Part of resident: anonymous pages, and pages of files not yet written to disk. */
	RESIDENCE_DIRTY,
	RESIDENCE_SWAPPED,
	RESIDENCE_FIELDS
};

struct residence_page {
	uint64_t number;                   /* address / page size */
	uint32_t before[RESIDENCE_FIELDS]; /* pages before this one, by field */
};

struct residence {
	uint64_t page_size;          /* bytes; set by the owner */
	struct residence_page *page; /* owned; by rising number */
	size_t count, room;
	uint32_t sum[RESIDENCE_FIELDS]; /* pages in all, by field */
};

/* Frees what R owns, and zeroes it. */
void residence_done(struct residence *r);
#define AUTO_RESIDENCE CLEANUP(residence_done)

/* Removes all pages, for the next range. */
void residence_clear(struct residence *r);

/*
 * Adds page P, which must be above the pages before. Pages that are neither resident nor swapped
 * are ignored. Returns 0; -ENOMEM; or -EINVAL: P is not above.
 */
int residence_add(struct residence *r, const struct page *p);

/* Adds to RET, for each field, the bytes of [START, END) on such pages. */
void residence_sum(const struct residence *r, uint64_t start, uint64_t end,
	uint64_t ret[static RESIDENCE_FIELDS]);

#endif
