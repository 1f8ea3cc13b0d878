/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which pages of a mapping are the file's own, and not private copies of them: those that pagemap calls so, read by
 * PAGEMAP_SCAN (Linux 6.7), which passes over what is not there, or entry by entry.
 */
#ifndef MEMTALLY_INSIDE_FILEPAGES_H
#define MEMTALLY_INSIDE_FILEPAGES_H

#include <stdbool.h>
#include <stdint.h>

/* Called for PAGES of them that follow each other, the first at ADDRESS. Anything but 0 ends the reading, and is returned. */
typedef int (*filepages_taker)(uint64_t address, uint64_t pages, void *context);

enum filepages_outcome {
	FILEPAGES_GONE = 1, /* the address space is */
	FILEPAGES_TOO_LARGE, /* there is no PAGEMAP_SCAN, and there are too many entries to read for so few pages */
};

struct filepages {
	int fd; /* of /proc/PID/pagemap, borrowed */
	uint64_t page_size;
	filepages_taker take;
	void *context;
	bool has_no_scan; /* the kernel has it not: learnt */
};

/*
 * Reads what is mapped from START to END, where about WANTED pages are the file's: what comes behind so many may be left
 * out. 0, a filepages_outcome, the taker's, or read's errors.
 */
int filepages_read(struct filepages *f, uint64_t start, uint64_t end, uint64_t wanted);

#endif
