/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shared memory that exists whether processes map it or not: SysV segments and tmpfs, and its
 * owners. A pass reads it in small steps.
 */
#ifndef MEMTALLY_COLLECTORS_HOSTMEM_SHMEM_H
#define MEMTALLY_COLLECTORS_HOSTMEM_SHMEM_H

#include <stdbool.h>
#include <stdint.h>

#include "collectors/hostmem/shmem-owners.h"
#include "collectors/hostmem/tmpfs.h"
#include "collectors/procfs/procfs.h"

/* Zeroed: nothing is known. */
struct shmem {
	struct tmpfs tmpfs;
	struct shmem_owners owners; /* of this pass, with .tmpfs.owners added */
	bool has_sysv;              /* the SysV segments of the host are known */
	struct buffer text;
	bool is_begun;
};

void shmem_done(struct shmem *s);

/* Begins a pass: the next shmem_step() starts anew. */
void shmem_begin(struct shmem *s);

/*
 * Does a small step at NOW_NS (CLOCK_MONOTONIC). Returns false when all is done. Mounts are read
 * only if P is the kernel's /proc of this pid namespace.
 */
bool shmem_step(struct shmem *s, const struct procfs *p, uint64_t now_ns);

/* Returns whether the tmpfs mounts are known. */
static inline bool shmem_has_tmpfs(const struct shmem *s)
{
	return s->tmpfs.is_known;
}

#endif
