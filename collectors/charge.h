/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the kernel charges a cgroup, and all below it, for memory: the texts of the memory controller's files, in both
 * versions of it. Pure.
 */
#ifndef MEMTALLY_COLLECTORS_CHARGE_H
#define MEMTALLY_COLLECTORS_CHARGE_H

#include <stddef.h>
#include <stdint.h>

enum charge_field {
	CHARGE_TOTAL,  /* memory.current; v1 memory.usage_in_bytes */
	CHARGE_ANON,   /* of memory.stat: anon; v1 total_rss, which has huge pages, too */
	CHARGE_FILE,   /* file; v1 total_cache: with shmem, be it mapped or not */
	CHARGE_SHMEM,  /* shmem; v1 total_shmem (Linux 4.11) */
	CHARGE_KERNEL, /* kernel (5.18); v1 memory.kmem.usage_in_bytes */
	CHARGE_SWAP, /* memory.swap.current; v1 total_swap, which kernels without accounting of swap leave out */
	CHARGE_FIELDS
};

struct charge {
	uint64_t present;
	uint64_t q[CHARGE_FIELDS]; /* bytes; the first is not the sum of the others */
};

enum charge_version {
	CHARGE_V1 = 1,
	CHARGE_V2 = 2,
};

/*
 * Adds to RET what memory.stat has. Keys that are not known are passed over. -EBADMSG: cut off, a key twice, or a value
 * that no kernel prints; RET is as it was.
 */
int charge_parse_stat(
	const char *text, size_t len, enum charge_version version, struct charge *ret);

/* Adds to RET a file of one number, as FIELD. -EBADMSG: it is none, or beyond 2^63; RET is as it was. */
int charge_parse_value(const char *text, size_t len, enum charge_field field, struct charge *ret);

#endif
