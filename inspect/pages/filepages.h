/* SPDX-License-Identifier: Apache-2.0 */
/*
 * File Pages
 *
 * Finds the pages of a mapping that are pages of the file itself, not private copies, as pagemap
 * tells. It uses PAGEMAP_SCAN (Linux 6.7), which skips holes, or reads pagemap entry by entry.
 */
#ifndef MEMTALLY_INSPECT_PAGES_FILEPAGES_H
#define MEMTALLY_INSPECT_PAGES_FILEPAGES_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Called for PAGES consecutive pages of the file, the first one at ADDRESS. Returns 0, or a
 * negative errno, which ends the reading and is returned.
 */
typedef int (*filepages_taker)(uint64_t address, uint64_t pages, void *context);

enum filepages_outcome {
	FILEPAGES_GONE = 1, /* the address space is gone */
	/*
	 * The kernel has no PAGEMAP_SCAN, and too many entries would have to be read for so few
	 * pages.
	 */
	FILEPAGES_TOO_LARGE,
};

struct filepages {
	int fd; /* of /proc/PID/pagemap, borrowed */
	uint64_t page_size;
	filepages_taker take;
	void *context;
	bool has_no_scan; /* the kernel has no PAGEMAP_SCAN; set by filepages_read() */
};

/*
 * Calls .take for the file's pages in [START, END), where about WANTED pages are expected: the
 * reading stops when as many have been found. Returns 0; an enum filepages_outcome; an error of
 * .take; or a negative errno of read() or ioctl().
 */
int filepages_read(struct filepages *f, uint64_t start, uint64_t end, uint64_t wanted);

#endif
