/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Each page of a range of addresses that is something, one after the other, with all that may be known of it. Nothing is kept.
 */
#ifndef MEMTALLY_INSIDE_PAGEWALK_H
#define MEMTALLY_INSIDE_PAGEWALK_H

#include <stdbool.h>
#include <stdint.h>

#include "inside/frames.h"
#include "inside/page.h"

struct pagewalk {
	int fd;                /* a process's pagemap; borrowed */
	struct frames *frames; /* borrowed; NULL: they are not shown */
	bool cannot_scan; /* found out: so it is not known what is huge, and nothing is passed over */
};

/* Called for each page that is not PAGE_NONE. Anything but 0 ends the walk, and is returned. */
typedef int (*pagewalk_taker)(const struct page *p, void *context);

/*
 * The pages of [START, END), which are whole pages of one mapping. 0, also where the address space is gone; the taker's; or errors
 * of reading.
 */
int pagewalk(struct pagewalk *w, uint64_t start, uint64_t end, bool is_hugetlb, pagewalk_taker take,
	void *context);

/* Of the machine. */
uint64_t pagewalk_page_size(void);

#endif
