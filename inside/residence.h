/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which pages of a stretch of addresses are there, kept so that what lies between any two addresses is summed up at once, however
 * many ask and whatever overlaps. Memory is taken for pages that are there, 32 bytes each. Pure.
 */
#ifndef MEMTALLY_INSIDE_RESIDENCE_H
#define MEMTALLY_INSIDE_RESIDENCE_H

#include <stddef.h>
#include <stdint.h>

#include "inside/page.h"

enum residence_field {
	RESIDENCE_RESIDENT,
	RESIDENCE_PRIVATE, /* of what is resident: mapped by nobody else */
	RESIDENCE_WRITTEN, /* likewise: anonymous, so it was written to since it was mapped */
	RESIDENCE_DIRTY, /* likewise: the same, and what of the file itself is not on its disk yet */
	RESIDENCE_SWAPPED,
	RESIDENCE_FIELDS
};

struct residence_page {
	uint64_t number;                   /* address by page size */
	uint32_t before[RESIDENCE_FIELDS]; /* how many pages there are before it, of each field */
};

struct residence {
	uint64_t page_size;
	struct residence_page *page; /* owned; rising */
	size_t count, room;
	uint32_t sum[RESIDENCE_FIELDS]; /* of all */
};

void residence_done(struct residence *r);
#define AUTO_RESIDENCE CLEANUP(residence_done)

void residence_clear(struct residence *r);

/* Adds P, which lies above those before; what is neither resident nor swapped is passed over. -ENOMEM; -EINVAL: it lies below. */
int residence_add(struct residence *r, const struct page *p);

/* How many bytes of [START, END) lie on pages of each field; they are added to RET. */
void residence_sum(const struct residence *r, uint64_t start, uint64_t end,
	uint64_t ret[static RESIDENCE_FIELDS]);

#endif
