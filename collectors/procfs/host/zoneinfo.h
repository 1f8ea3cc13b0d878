/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parser of /proc/zoneinfo: free pages on the lists that each CPU keeps for fast allocation.
 * MemFree does not count them. Since Linux 6.7 all lists of a zone together may grow to an eighth
 * of the zone.
 */
#ifndef MEMTALLY_COLLECTORS_PROCFS_HOST_ZONEINFO_H
#define MEMTALLY_COLLECTORS_PROCFS_HOST_ZONEINFO_H

#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"

enum {
	/* bytes: a line of each CPU for each zone; Linux 6.18 prints 5 KiB for two CPUs */
	ZONEINFO_TEXT_MAX = 4 << 20,
};

/*
 * Sets *RET_PAGES to the pages on all lists. Returns 0; -EBADMSG if TEXT is cut off or has a number
 * that no kernel prints; or -ENOENT if there are no lists. Pure.
 */
int zoneinfo_parse(const char *text, size_t len, uint64_t *ret_pages);

/*
 * Reads "zoneinfo" below PROCFS_FD into SCRATCH, which is overwritten, and parses it. Returns 0; an
 * error as zoneinfo_parse(); or a negative errno of open() or read().
 */
int zoneinfo_read(int procfs_fd, struct buffer *scratch, uint64_t *ret_pages);

#endif
