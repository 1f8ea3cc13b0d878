/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parser of /proc/meminfo: the host's memory, as far as the kernel has numbers for it.
 */
#ifndef MEMTALLY_COLLECTORS_PROCFS_HOST_MEMINFO_H
#define MEMTALLY_COLLECTORS_PROCFS_HOST_MEMINFO_H

#include <stddef.h>
#include <stdint.h>

enum meminfo_field {
	MEMINFO_TOTAL,
	MEMINFO_FREE,      /* without the free lists of each CPU: see zoneinfo.h */
	MEMINFO_AVAILABLE, /* Linux 3.14 */
	MEMINFO_BUFFERS,   /* page cache of block devices */
	/* page cache of files and shmem, without MEMINFO_BUFFERS and swap cache */
	MEMINFO_CACHED,
	MEMINFO_SWAP_CACHED,
	/* these three together: all that may be reclaimed, mapped or not, and locked memory */
	MEMINFO_ACTIVE,
	MEMINFO_INACTIVE,
	MEMINFO_UNEVICTABLE,
	MEMINFO_SWAP_TOTAL,
	MEMINFO_SWAP_FREE,
	MEMINFO_ZSWAP,      /* Linux 5.19 */
	MEMINFO_ANON_PAGES, /* anonymous pages that processes map, each counted once */
	/* pages of files and shmem that processes map, each counted once */
	MEMINFO_MAPPED,
	/* tmpfs, SysV segments, memfds, shared anonymous memory; not in hugetlb pages */
	MEMINFO_SHMEM,
	/* MEMINFO_SLAB_RECLAIMABLE and other reclaimable kernel memory; Linux 4.20 */
	MEMINFO_KERNEL_RECLAIMABLE,
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

/*
 * Parses TEXT into RET. Returns 0; or -EBADMSG, with RET unchanged, if TEXT is cut off, has a field
 * twice, or has a value that no kernel prints.
 */
int meminfo_parse(const char *text, size_t len, struct meminfo *ret);

/*
 * Reads and parses "meminfo" below PROCFS_FD. Returns 0; -EBADMSG, as meminfo_parse(); or a
 * negative errno of open() or read().
 */
int meminfo_read(int procfs_fd, struct meminfo *ret);

#endif
