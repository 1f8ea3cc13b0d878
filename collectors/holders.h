/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who holds shared memory, by uid: SysV segments, and files on tmpfs. All are told apart, for who of them has most is
 * known at the end only: whoever has many uids (a range of a user namespace's) would push others out of any choice that
 * is made before. What there is to be looked at is bounded where it is read, and so they are. Pure.
 */
#ifndef MEMTALLY_COLLECTORS_HOLDERS_H
#define MEMTALLY_COLLECTORS_HOLDERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collectors/sysvipc.h"
#include "snapshot/record.h"

/*
 * Twice as many as there can be: SYSVIPC_TEXT_MAX has room for less than 25,000 segments, and one look at tmpfs for
 * TMPFS_ENTRIES names. Some 5 MiB. Were there more, they would be summed up as nobody's in particular.
 */
enum { HOLDERS_MAX = 1 << 16 };

struct holder {
	uint32_t uid;
	uint64_t q[SHMEM_QUANTITIES]; /* none is above INT64_MAX */
};

/* Starts zeroed. */
struct holders {
	struct holder *item;    /* as they were met */
	size_t count, capacity; /* the latter 0 or a power of 2 */
	uint32_t *index;        /* twice .capacity, open addressing: place in .item + 1, or 0 */
	uint64_t seed;          /* uids are chosen by strangers */
	struct holder other;    /* of whom there is no room */
	bool has_other;
};

void holders_done(struct holders *h);

/* Forgets all, and keeps the memory where a good part of it was needed. */
void holders_clear(struct holders *h);

void holders_add_segment(struct holders *h, const struct sysvipc_segment *s);
void holders_add_file(struct holders *h, uint32_t uid, uint64_t bytes);

/* Adds all that FROM has. */
void holders_merge(struct holders *h, const struct holders *from);

/* What all have of that. At most INT64_MAX. */
uint64_t holders_sum(const struct holders *h, enum shmem_quantity i);

#endif
