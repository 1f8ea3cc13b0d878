/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parser of the memory controller's files: what the kernel charges a cgroup, with all cgroups below
 * it. Both versions of cgroups. Pure.
 */
#ifndef MEMTALLY_COLLECTORS_PROCFS_CHARGE_H
#define MEMTALLY_COLLECTORS_PROCFS_CHARGE_H

#include <stddef.h>
#include <stdint.h>

enum charge_field {
	CHARGE_TOTAL,  /* memory.current; v1 memory.usage_in_bytes */
	CHARGE_ANON,   /* memory.stat: anon; v1 total_rss, which includes huge pages */
	CHARGE_FILE,   /* memory.stat: file; v1 total_cache: includes shmem, mapped or not */
	CHARGE_SHMEM,  /* memory.stat: shmem; v1 total_shmem (Linux 4.11) */
	CHARGE_KERNEL, /* memory.stat: kernel (Linux 5.18); v1 memory.kmem.usage_in_bytes */
	/* memory.swap.current; v1 total_swap, absent if the kernel does not account swap */
	CHARGE_SWAP,
	CHARGE_FIELDS
};

struct charge {
	uint64_t present;
	/* bytes, by enum charge_field; CHARGE_TOTAL is not the sum of the others */
	uint64_t q[CHARGE_FIELDS];
};

enum charge_version {
	CHARGE_V1 = 1,
	CHARGE_V2 = 2,
};

/*
 * Sets in RET the fields that TEXT, a memory.stat, has. Unknown keys are skipped. Returns 0; or
 * -EBADMSG, with RET unchanged, if the text is cut off, has a key twice, or has a value that no
 * kernel prints.
 */
int charge_parse_stat(
	const char *text, size_t len, enum charge_version version, struct charge *ret);

/*
 * Sets FIELD in RET from TEXT, a file with one number. Returns 0; or -EBADMSG, with RET unchanged,
 * if TEXT is no number or above INT64_MAX.
 */
int charge_parse_value(const char *text, size_t len, enum charge_field field, struct charge *ret);

#endif
