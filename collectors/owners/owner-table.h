/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A table of the owners of one kind: users, programs, units and so on. An owner is found by its
 * key. It has a slot number, which stays the same as long as the owner is in the table.
 */
#ifndef MEMTALLY_COLLECTORS_OWNERS_OWNER_TABLE_H
#define MEMTALLY_COLLECTORS_OWNERS_OWNER_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/hashmap.h"
#include "base/siphash.h"
#include "collectors/process/state/activity.h"
#include "collectors/process/state/growth.h"
#include "snapshot/sums.h"

enum scope_name_state {
	SCOPE_NAME_WANTED, /* must be looked up */
	SCOPE_NAME_ASKED,  /* the lookup is under way */
	SCOPE_NAME_ANSWERED,
};

/* Counters since the owner was added. */
struct scope_counters {
	struct growth_step growth;
	unsigned __int128 pss_byte_ns; /* twice the integral, see owner-sums.c */
};

/* CPU time, page faults and states of an owner's processes (activity.h). */
struct scope_activity {
	uint64_t states[ACTIVITY_STATES]; /* of the pass: processes that were read, by state */
	struct activity_counts total;
	struct activity_counts delta; /* added by the current pass */
};

struct scope {
	/*
	 * owned; of a user or group: the bytes of its number; of others: the name, terminated, then
	 * what membership.c adds
	 */
	char *key;
	size_t key_len;
	uint32_t hash;
	uint32_t slot;

	uint32_t id; /* of a user or group: its number; of others: as snapshot/owner.h says */
	bool has_user;
	uint32_t user; /* if .has_user: the uid that owns it */
	/* borrowed from .key: the name of the owner that it is a part of; NULL: none */
	const char *above;

	/* The next three fields are of users and groups. */
	char *name; /* owned, clean; NULL: it has none, or it is not known */
	enum scope_name_state name_state;
	uint64_t named_ns; /* CLOCK_MONOTONIC of the answer */

	/* of the pass; after owner_sums_end() with the counters, as a snapshot shows them */
	struct sums sums;
	struct scope_counters total;
	struct scope_counters delta;    /* added by the current pass */
	uint64_t last_pss;              /* bytes, of the last pass */
	struct scope_activity activity; /* kept only for memberships and namegroups */
	uint64_t created_ns;            /* CLOCK_REALTIME */

	uint32_t cgroup; /* slot of its cgroup in the current pass: see memcg-charges.h */

	bool exported;
	uint8_t below; /* passes in succession in which its rank was too low: see top-owners.h */
	uint64_t empty_ns; /* CLOCK_MONOTONIC since which it has had no members; 0: it has some */
	uint32_t name_ref; /* reference of its name in the image that is being built */
};

struct owner_table {
	struct scope **slot;  /* NULL: free */
	struct hashmap index; /* of .slot */
	size_t slots;
	uint32_t count;
	uint32_t free_hint;          /* all slots before it are taken */
	struct siphash_key hash_key; /* set with the first owner */
	/* CLOCK_REALTIME for new owners; the caller keeps it current */
	uint64_t created_ns;
};

/* Frees all owners. */
void owner_table_done(struct owner_table *s);

/* Returns the owner with KEY (LEN bytes), or NULL. */
struct scope *owner_table_find(const struct owner_table *s, const void *key, size_t len);

/*
 * Returns the owner with KEY (LEN bytes, copied). Adds it if there is none. Returns NULL if memory
 * runs out.
 */
struct scope *owner_table_get(struct owner_table *s, const void *key, size_t len);

/* Returns the owner in SLOT, which must have one. */
static inline struct scope *owner_table_at(const struct owner_table *s, uint32_t slot)
{
	return s->slot[slot];
}

/* Removes and frees SCOPE; a new owner may get its slot. */
void owner_table_remove(struct owner_table *s, struct scope *scope);

/* Returns the owner after PREVIOUS (NULL: the first one) in the order of slots, or NULL. */
struct scope *owner_table_next(const struct owner_table *s, const struct scope *previous);

#endif
