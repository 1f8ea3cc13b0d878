/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A table of owners of one kind: found by key, addressed by a slot that stays the same as
 * long as the row lives.
 */
#ifndef MEMTALLY_COLLECTORS_SCOPES_H
#define MEMTALLY_COLLECTORS_SCOPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "collectors/growth.h"
#include "snapshot/sums.h"

enum scope_name_state {
	SCOPE_NAME_WANTED, /* nobody has been asked */
	SCOPE_NAME_ASKED,
	SCOPE_NAME_ANSWERED,
};

/* What grows or is integrated, since the row began. */
struct scope_counters {
	struct growth_step growth;
	unsigned __int128 pss_byte_ns; /* twice the integral, see tally.c */
};

struct scope {
	char *key; /* owned; of a user or a group, the bytes of its number; of others first of all their name, terminated */
	size_t key_len;
	uint32_t hash;
	uint32_t slot;

	uint32_t id; /* of a user or a group its number; of others as snapshot/owner.h has it */
	bool has_user;
	uint32_t user; /* the uid of whose own it is, where it is somebody's */
	const char *
		above; /* borrowed from the key: the name of what it is a part of; NULL: of nothing */

	/* Of a user or a group. */
	char *name; /* owned, clean; NULL where there is none or none is known */
	enum scope_name_state name_state;
	uint64_t named_ns; /* CLOCK_MONOTONIC of the answer */

	struct sums
		sums; /* of the pass; after tally_end() with the counters, as a snapshot shows them */
	struct scope_counters total;
	struct scope_counters delta; /* what the pass has added */
	uint64_t last_pss;           /* of the pass before */
	uint64_t created_ns;         /* CLOCK_REALTIME */

	uint32_t cgroup; /* which one it is, of the pass: see charges.h */

	bool exported;
	uint8_t below;     /* passes in a row in which its rank was too low, see export.h */
	uint64_t empty_ns; /* CLOCK_MONOTONIC since when it has no members; 0: it has */
	uint32_t name_ref; /* of the image that is being made */
};

struct scopes {
	struct scope **slot; /* NULL: free */
	uint32_t *index;     /* open addressing: slot + 1, or 0 */
	uint32_t slots, count;
	uint32_t index_size; /* a power of two */
	uint32_t free_hint;
	uint64_t seed;
	uint64_t created_ns; /* given to new rows; the caller keeps it current */
};

void scopes_done(struct scopes *s);

/* The row of KEY, or NULL. */
struct scope *scopes_find(const struct scopes *s, const void *key, size_t len);

/* The row of KEY, which is made if there is none. NULL: out of memory. */
struct scope *scopes_get(struct scopes *s, const void *key, size_t len);

/* The row in SLOT; it must be taken. */
static inline struct scope *scopes_at(const struct scopes *s, uint32_t slot)
{
	return s->slot[slot];
}

/* Takes a row out; its slot may be given to another. */
void scopes_remove(struct scopes *s, struct scope *scope);

/* The row after PREVIOUS (NULL: the first) in the order of slots, or NULL. */
struct scope *scopes_next(const struct scopes *s, const struct scope *previous);

#endif
