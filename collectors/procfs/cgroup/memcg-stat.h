/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parser of the memory controller's files: what the kernel charges a cgroup, with all cgroups below
 * it. Both versions of cgroups. Pure.
 */
#ifndef MEMTALLY_COLLECTORS_PROCFS_CGROUP_MEMCG_STAT_H
#define MEMTALLY_COLLECTORS_PROCFS_CGROUP_MEMCG_STAT_H

#include <stddef.h>
#include <stdint.h>

enum memcg_stat_field {
	MEMCG_STAT_TOTAL,  /* memory.current; v1 memory.usage_in_bytes */
	MEMCG_STAT_ANON,   /* memory.stat: anon; v1 total_rss, which includes huge pages */
	MEMCG_STAT_FILE,   /* memory.stat: file; v1 total_cache: includes shmem, mapped or not */
	MEMCG_STAT_SHMEM,  /* memory.stat: shmem; v1 total_shmem (Linux 4.11) */
	MEMCG_STAT_KERNEL, /* memory.stat: kernel (Linux 5.18); v1 memory.kmem.usage_in_bytes */
	/* memory.swap.current; v1 total_swap, absent if the kernel does not account swap */
	MEMCG_STAT_SWAP,
	MEMCG_STAT_FIELDS
};

struct memcg_stat {
	uint64_t present;
	/* bytes, by enum memcg_stat_field; MEMCG_STAT_TOTAL is not the sum of the others */
	uint64_t q[MEMCG_STAT_FIELDS];
};

enum memcg_stat_version {
	MEMCG_STAT_V1 = 1,
	MEMCG_STAT_V2 = 2,
};

/*
 * Sets in RET the fields that TEXT, a memory.stat, has. Unknown keys are skipped. Returns 0; or
 * -EBADMSG, with RET unchanged, if the text is cut off, has a key twice, or has a value that no
 * kernel prints.
 */
int memcg_stat_parse_stat(
	const char *text, size_t len, enum memcg_stat_version version, struct memcg_stat *ret);

/*
 * Sets FIELD in RET from TEXT, a file with one number. Returns 0; or -EBADMSG, with RET unchanged,
 * if TEXT is no number or above INT64_MAX.
 */
int memcg_stat_parse_value(
	const char *text, size_t len, enum memcg_stat_field field, struct memcg_stat *ret);

#endif
