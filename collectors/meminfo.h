/* SPDX-License-Identifier: Apache-2.0 */
/*
 * /proc/meminfo: what the host has.
 */
#ifndef MEMTALLY_COLLECTORS_MEMINFO_H
#define MEMTALLY_COLLECTORS_MEMINFO_H

#include <stddef.h>
#include <stdint.h>

enum meminfo_field {
	MEMINFO_TOTAL,
	MEMINFO_AVAILABLE,  /* Linux 3.14 */
	MEMINFO_ANON_PAGES, /* anonymous pages that processes map, each once */
	MEMINFO_MAPPED,     /* pages of files and of shmem that processes map, each once */
	MEMINFO_FIELDS
};

struct meminfo {
	uint64_t present;
	uint64_t q[MEMINFO_FIELDS]; /* bytes */
};

/* -EBADMSG: cut off, a field twice, or a value that no kernel prints. */
int meminfo_parse(const char *text, size_t len, struct meminfo *ret);

/* Reads and parses "meminfo" below PROCFS_FD. */
int meminfo_read(int procfs_fd, struct meminfo *ret);

#endif
