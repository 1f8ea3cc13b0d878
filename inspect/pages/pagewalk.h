/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Page Walk
 *
 * Calls back for each page of a range of addresses, with all that the kernel tells about it
 * (inspect/pages/page.h). Nothing is stored.
 */
#ifndef MEMTALLY_INSPECT_PAGES_PAGEWALK_H
#define MEMTALLY_INSPECT_PAGES_PAGEWALK_H

#include <stdbool.h>
#include <stdint.h>

#include "inspect/pages/kpage.h"
#include "inspect/pages/page.h"

struct pagewalk {
	int fd;                     /* pagemap of a process; borrowed */
	const struct kpage *frames; /* borrowed; NULL: frames are not shown */
	/*
	 * The kernel has no PAGEMAP_SCAN: huge pages are not known, and holes are not skipped; set
	 * by pagewalk().
	 */
	bool cannot_scan;
};

/*
 * Called for each page that is not PAGE_NONE. A result other than 0 ends the walk, and is returned.
 */
typedef int (*pagewalk_taker)(const struct page *p, void *context);

/*
 * Calls TAKE for the pages of [START, END), whole pages of one mapping. IS_HUGETLB: the mapping is
 * of hugetlbfs. Returns 0; a result of TAKE; or a negative errno of reading. If the address space
 * is gone, it returns 0 or -ESRCH, depending on the kernel.
 */
int pagewalk(struct pagewalk *w, uint64_t start, uint64_t end, bool is_hugetlb, pagewalk_taker take,
	void *context);

/* Returns the page size of the machine in bytes. */
uint64_t pagewalk_page_size(void);

#endif
