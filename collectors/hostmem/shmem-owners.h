/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Holders: how much shared memory each uid has, in SysV segments and in files on tmpfs. Pure.
 *
 * Every uid has an entry: which of them has most is only known at the end. If fewer were kept, a
 * user with many uids (the range of a user namespace) would push others out. SYSVIPC_TEXT_MAX limits
 * the number of segments to less than 25,000, and TMPFS_ENTRIES that of files: some 5 MiB.
 */
#ifndef MEMTALLY_COLLECTORS_HOSTMEM_SHMEM_OWNERS_H
#define MEMTALLY_COLLECTORS_HOSTMEM_SHMEM_OWNERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hashmap.h"
#include "collectors/procfs/host/sysvipc.h"
#include "snapshot/record.h"

struct shmem_owner {
	uint32_t uid;
	uint64_t q[SHMEM_QUANTITIES]; /* bytes or counts, each at most INT64_MAX */
};

/* Zeroed: empty. */
struct shmem_owners {
	struct shmem_owner *item; /* in the order in which they were added */
	size_t count, capacity;
	struct hashmap index;     /* of .item */
	uint64_t seed;            /* of the hash, since any user may choose uids */
	struct shmem_owner other; /* sum of the uids for which there was no memory */
	bool has_other;
};

void shmem_owners_done(struct shmem_owners *h);

/* Removes all entries. Keeps the memory if a good part of it was in use. */
void shmem_owners_clear(struct shmem_owners *h);

void shmem_owners_add_segment(struct shmem_owners *h, const struct sysvipc_segment *s);
void shmem_owners_add_file(struct shmem_owners *h, uint32_t uid, uint64_t bytes);

/* Adds the quantities of FROM to TO. */
void shmem_owners_merge_one(struct shmem_owner *to, const struct shmem_owner *from);

/* Adds all entries of FROM. */
void shmem_owners_merge(struct shmem_owners *h, const struct shmem_owners *from);

/* Returns the sum of quantity I over all entries, at most INT64_MAX. */
uint64_t shmem_owners_sum(const struct shmem_owners *h, enum shmem_quantity i);

#endif
