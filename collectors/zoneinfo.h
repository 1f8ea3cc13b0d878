/* SPDX-License-Identifier: Apache-2.0 */
/*
 * /proc/zoneinfo: free pages that each CPU keeps on lists of its own, for the next who wants one there. MemFree does
 * not count them. Since Linux 6.7 all lists of a zone together may grow to an eighth of it.
 */
#ifndef MEMTALLY_COLLECTORS_ZONEINFO_H
#define MEMTALLY_COLLECTORS_ZONEINFO_H

#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"

enum {
	ZONEINFO_TEXT_MAX =
		4
		<< 20, /* bytes: a line of each CPU for each zone; 6.18 prints 5 KiB for two CPUs */
};

/* The pages on all lists. -EBADMSG: cut off, or a number that no kernel prints; -ENOENT: there are no lists. Pure. */
int zoneinfo_parse(const char *text, size_t len, uint64_t *ret_pages);

/* Reads and parses "zoneinfo" below PROCFS_FD by way of SCRATCH. */
int zoneinfo_read(int procfs_fd, struct buffer *scratch, uint64_t *ret_pages);

#endif
