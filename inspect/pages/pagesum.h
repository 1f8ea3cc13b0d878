/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Page Sums
 *
 * Sums of pages: bytes by state, and a histogram by mapping count. Pure.
 */
#ifndef MEMTALLY_INSPECT_PAGES_PAGESUM_H
#define MEMTALLY_INSPECT_PAGES_PAGESUM_H

#include <stdbool.h>
#include <stdint.h>

#include "inspect/pages/page.h"

enum pagesum_field {
	PAGESUM_SIZE, /* size of the mappings */
	PAGESUM_RSS,
	PAGESUM_ANON,    /* part of the RSS, as the fields up to PAGESUM_KSM */
	PAGESUM_FILE,    /* pages of files and shared memory */
	PAGESUM_PRIVATE, /* mapped by no other process */
	PAGESUM_SHARED,
	PAGESUM_WRITTEN, /* private copies of pages of files */
	PAGESUM_DIRTY,
	PAGESUM_HUGE,  /* mapped as huge pages */
	PAGESUM_LARGE, /* in large folios, mapped in whatever way */
	PAGESUM_KSM,
	PAGESUM_ZERO,
	PAGESUM_SWAPPED,
	PAGESUM_HUGETLB,
	PAGESUM_DEVICE,
	/* The RSS by mapping count: 1, 2, 3 to 4, 5 to 8, and so on by powers of 2. */
	PAGESUM_MAPPED_FIRST,
	PAGESUM_MAPPED_LAST = PAGESUM_MAPPED_FIRST + 11, /* mapped more than 1024 times */
	PAGESUM_FIELDS
};

struct pagesum {
	uint64_t q[PAGESUM_FIELDS]; /* bytes */
};

/*
 * Returns the bits of the fields that are known, if frames are shown (HAS_FRAMES) and pagemap can
 * be scanned (CAN_SCAN).
 */
uint64_t pagesum_known(bool has_frames, bool can_scan);

/*
 * Writes the range of mapping counts of FIELD, one of the histogram; *RET_TO is UINT64_MAX if there
 * is no upper limit.
 */
void pagesum_times(enum pagesum_field field, uint64_t *ret_from, uint64_t *ret_to);

/*
 * Adds PAGE of PAGE_SIZE bytes. OF_FILE: the mapping is of a file. PAGESUM_SIZE is left to the
 * caller.
 */
void pagesum_add(struct pagesum *s, const struct page *page, uint64_t page_size, bool of_file);

/* Adds OTHER to S. */
void pagesum_add_sum(struct pagesum *s, const struct pagesum *other);

#endif
