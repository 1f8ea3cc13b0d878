/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How much of a mapping is anonymous memory that nobody else maps. Of a private mapping of a file smaps says how much is
 * anonymous and how much is shared, and not how much is both; pagemap says it of each page, to whoever may read it.
 */
#ifndef MEMTALLY_INSIDE_OWNPAGES_H
#define MEMTALLY_INSIDE_OWNPAGES_H

#include <stdint.h>

enum ownpages_outcome {
	OWNPAGES_GONE = 1,  /* the address space is */
	OWNPAGES_TOO_LARGE, /* there are more entries to read than this is worth */
};

/* Reads PAGEMAP, of /proc/PID, from START to END. 0, an ownpages_outcome, or read's errors. */
int ownpages_read(int pagemap, uint64_t start, uint64_t end, uint64_t *ret_bytes);

#endif
