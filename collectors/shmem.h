/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a pass learns of shared memory that is there whether processes map it or not: SysV segments and tmpfs, and who
 * holds them.
 */
#ifndef MEMTALLY_COLLECTORS_SHMEM_H
#define MEMTALLY_COLLECTORS_SHMEM_H

#include <stdbool.h>
#include <stdint.h>

#include "collectors/holders.h"
#include "collectors/procfs.h"
#include "collectors/tmpfs.h"

/* Starts zeroed. */
struct shmem {
	struct tmpfs tmpfs;
	struct holders holders; /* of this pass, .tmpfs.owners included */
	bool has_sysv;          /* the segments of our IPC namespace are known */
	struct buffer text;
	bool is_begun;
};

void shmem_done(struct shmem *s);

/* The pass is about to look. */
void shmem_begin(struct shmem *s);

/*
 * Does a little of it at NOW_NS (CLOCK_MONOTONIC). False: that was all. Of mounts nothing is asked where P is not the
 * kernel's own.
 */
bool shmem_step(struct shmem *s, const struct procfs *p, uint64_t now_ns);

/* Whether what is mounted is known. */
static inline bool shmem_has_tmpfs(const struct shmem *s)
{
	return s->tmpfs.is_known;
}

#endif
