/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Own Pages
 *
 * Counts the anonymous memory of a mapping that no other process maps. For a private mapping of a
 * file smaps tells how much is anonymous and how much is shared, but not how much is both; pagemap
 * tells it for each page, to readers with the right to open it.
 */
#ifndef MEMTALLY_INSPECT_PAGES_OWNPAGES_H
#define MEMTALLY_INSPECT_PAGES_OWNPAGES_H

#include <stdint.h>

enum ownpages_outcome {
	OWNPAGES_GONE = 1,  /* the address space is gone */
	OWNPAGES_TOO_LARGE, /* more than 2^20 pages (4 GiB of small pages): nothing is read */
};

/*
 * Reads the open /proc/PID/pagemap from address START to END. Writes to *RET_BYTES the bytes of
 * resident anonymous pages that no other process maps. Returns 0; an enum ownpages_outcome; or a
 * negative errno of read(), such as -ESRCH if the address space is gone (Linux 6.18).
 */
int ownpages_read(int pagemap, uint64_t start, uint64_t end, uint64_t *ret_bytes);

#endif
