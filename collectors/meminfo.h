/* SPDX-License-Identifier: Apache-2.0 */
/*
 * /proc/meminfo: what the host has, and what of it the kernel has a number for.
 */
#ifndef MEMTALLY_COLLECTORS_MEMINFO_H
#define MEMTALLY_COLLECTORS_MEMINFO_H

#include <stddef.h>
#include <stdint.h>

enum meminfo_field {
	MEMINFO_TOTAL,
	MEMINFO_FREE,      /* but for the lists that each CPU has of its own, see zoneinfo.h */
	MEMINFO_AVAILABLE, /* Linux 3.14 */
	MEMINFO_BUFFERS,   /* page cache of block devices */
	MEMINFO_CACHED, /* page cache of files, shmem included, without MEMINFO_BUFFERS and swap cache */
	MEMINFO_SWAP_CACHED,
	MEMINFO_ACTIVE, /* of these three: all that may be reclaimed, mapped or not, and what is locked */
	MEMINFO_INACTIVE,
	MEMINFO_UNEVICTABLE,
	MEMINFO_SWAP_TOTAL,
	MEMINFO_SWAP_FREE,
	MEMINFO_ZSWAP,      /* Linux 5.19 */
	MEMINFO_ANON_PAGES, /* anonymous pages that processes map, each once */
	MEMINFO_MAPPED,     /* pages of files and of shmem that processes map, each once */
	MEMINFO_SHMEM, /* tmpfs, SysV segments, memfds, shared anonymous memory; not in hugetlb pages */
	MEMINFO_KERNEL_RECLAIMABLE, /* MEMINFO_SLAB_RECLAIMABLE, and what else is; Linux 4.20 */
	MEMINFO_SLAB_RECLAIMABLE,
	MEMINFO_SLAB_UNRECLAIMABLE,
	MEMINFO_KERNEL_STACKS,
	MEMINFO_PAGE_TABLES,
	MEMINFO_SECONDARY_PAGE_TABLES, /* of virtual machines and IOMMUs; Linux 6.1 */
	MEMINFO_WRITEBACK_TMP,         /* of FUSE */
	MEMINFO_VMALLOC,               /* 0 from Linux 4.4 to 5.2 */
	MEMINFO_PERCPU,                /* Linux 4.20 */
	MEMINFO_HARDWARE_CORRUPTED,
	MEMINFO_HUGETLB, /* pools of all sizes, used or not; Linux 4.17 */
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
