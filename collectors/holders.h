/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who holds shared memory, by uid: SysV segments, and files on tmpfs. So many are told apart; what more there are is
 * summed up as nobody's in particular. Pure.
 */
#ifndef MEMTALLY_COLLECTORS_HOLDERS_H
#define MEMTALLY_COLLECTORS_HOLDERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collectors/sysvipc.h"
#include "snapshot/record.h"

enum { HOLDERS_MAX = 1000 };

struct holder {
	uint32_t uid;
	uint64_t q[SHMEM_QUANTITIES]; /* none is above INT64_MAX */
};

/* Starts zeroed. */
struct holders {
	struct holder *item; /* by rising uid */
	size_t count, capacity;
	struct holder other; /* of whom there is no room */
	bool has_other;
};

void holders_done(struct holders *h);

/* Forgets all, and keeps the memory. */
void holders_clear(struct holders *h);

void holders_add_segment(struct holders *h, const struct sysvipc_segment *s);
void holders_add_file(struct holders *h, uint32_t uid, uint64_t bytes);

/* Adds all that FROM has. */
void holders_merge(struct holders *h, const struct holders *from);

/* What all have of that. At most INT64_MAX. */
uint64_t holders_sum(const struct holders *h, enum shmem_quantity i);

#endif
