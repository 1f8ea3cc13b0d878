/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A table of the owners of one kind: users, programs, units and so on. A row is found by its key, and has a slot number that
 * stays the same as long as the row exists.
 */
#ifndef MEMTALLY_COLLECTORS_SCOPES_H
#define MEMTALLY_COLLECTORS_SCOPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/siphash.h"
#include "collectors/growth.h"
#include "snapshot/sums.h"

enum scope_name_state {
	SCOPE_NAME_WANTED, /* not looked up yet */
	SCOPE_NAME_ASKED,  /* the lookup is under way */
	SCOPE_NAME_ANSWERED,
};

/* Counters since the row began. */
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
	uint32_t user; /* if .has_user: the uid that owns it */
	const char *
		above; /* borrowed from the key: the name of the owner that it is a part of; NULL: none */

	/* Of a user or a group. */
	char *name; /* owned, clean; NULL: none, or not known */
	enum scope_name_state name_state;
	uint64_t named_ns; /* CLOCK_MONOTONIC of the answer */

	struct sums
		sums; /* of the pass; after tally_end() with the counters, as a snapshot shows them */
	struct scope_counters total;
	struct scope_counters delta; /* added by the pass */
	uint64_t last_pss;           /* bytes, of the pass before */
	uint64_t created_ns;         /* CLOCK_REALTIME */

	uint32_t cgroup; /* number of its cgroup in the pass: see charges.h */

	bool exported;
	uint8_t below;     /* passes in a row in which its rank was too low, see export.h */
	uint64_t empty_ns; /* CLOCK_MONOTONIC since which it has no members; 0: it has some */
	uint32_t name_ref; /* in the image that is being made */
};

struct scopes {
	struct scope **slot; /* NULL: free */
	uint32_t *index;     /* open addressing: slot + 1, or 0 */
	uint32_t slots, count;
	uint32_t index_size; /* a power of two */
	uint32_t free_hint;
	struct siphash_key hash_key; /* set with the first row */
	uint64_t created_ns;         /* given to new rows; the caller keeps it current */
};

/* Frees all rows. */
void scopes_done(struct scopes *s);

/* Returns the row of KEY (LEN bytes), or NULL. */
struct scope *scopes_find(const struct scopes *s, const void *key, size_t len);

/* Returns the row of KEY (LEN bytes, copied), which is made if there is none. NULL: out of memory. */
struct scope *scopes_get(struct scopes *s, const void *key, size_t len);

/* Returns the row in SLOT, which must have one. */
static inline struct scope *scopes_at(const struct scopes *s, uint32_t slot)
{
	return s->slot[slot];
}

/* Frees the row SCOPE; a new row may get its slot. */
void scopes_remove(struct scopes *s, struct scope *scope);

/* Returns the row after PREVIOUS (NULL: the first row) in the order of slots, or NULL. */
struct scope *scopes_next(const struct scopes *s, const struct scope *previous);

#endif
