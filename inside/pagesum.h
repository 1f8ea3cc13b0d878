/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pages summed up: how many bytes are in which state, and a histogram of how often each is mapped. Pure.
 */
#ifndef MEMTALLY_INSIDE_PAGESUM_H
#define MEMTALLY_INSIDE_PAGESUM_H

#include <stdbool.h>
#include <stdint.h>

#include "inside/page.h"

enum pagesum_field {
	PAGESUM_SIZE, /* of the mappings */
	PAGESUM_RSS,
	PAGESUM_ANON,    /* of the RSS, as are those up to KSM */
	PAGESUM_FILE,    /* and shared memory */
	PAGESUM_PRIVATE, /* mapped by nobody else */
	PAGESUM_SHARED,
	PAGESUM_WRITTEN, /* anonymous, in a mapping of a file: copies of it that were written to */
	PAGESUM_DIRTY,
	PAGESUM_HUGE,  /* mapped as huge pages */
	PAGESUM_LARGE, /* in folios of several pages, however they are mapped */
	PAGESUM_KSM,
	PAGESUM_ZERO,
	PAGESUM_SWAPPED,
	PAGESUM_HUGETLB,
	PAGESUM_DEVICE,
	/* The RSS by how often each page is mapped: once, twice, 3 or 4 times, 5 to 8, and so on by powers of 2. */
	PAGESUM_MAPPED_FIRST,
	PAGESUM_MAPPED_LAST = PAGESUM_MAPPED_FIRST + 11, /* more than 1024 times */
	PAGESUM_FIELDS
};

struct pagesum {
	uint64_t q[PAGESUM_FIELDS]; /* bytes */
};

/* "rss_bytes", "mapped_3_to_4_bytes" ... as in JSON. */
const char *pagesum_name(enum pagesum_field field);

/* The field of that name; PAGESUM_FIELDS: there is none. */
enum pagesum_field pagesum_find(const char *name);

/* Bits of the fields that are known where frames are shown, and where pagemap can be scanned. */
uint64_t pagesum_known(bool has_frames, bool can_scan);

/* How often pages of FIELD are mapped, one of the histogram: from *RET_FROM to *RET_TO; UINT64_MAX: or more. */
void pagesum_times(enum pagesum_field field, uint64_t *ret_from, uint64_t *ret_to);

/* Adds PAGE, of PAGE_SIZE bytes, in a mapping that is a file's or not. */
void pagesum_add(struct pagesum *s, const struct page *page, uint64_t page_size, bool of_file);

void pagesum_add_sum(struct pagesum *s, const struct pagesum *other);

#endif
