/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Object Users
 *
 * Finds which of several subjects, processes that a user asks about, share the file, shared memory
 * or anonymous memory of a mapping: each of these is an object (struct sharers_object). A claim is
 * an object of one subject. Each mapping of any other process is looked up once, for all subjects.
 * Pure.
 */
#ifndef MEMTALLY_INSPECT_MAPS_CLAIMS_H
#define MEMTALLY_INSPECT_MAPS_CLAIMS_H

#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "base/hashmap.h"
#include "inspect/maps/sharers.h"

struct claim {
	struct sharers *sharers; /* borrowed: of the subject */
	size_t object;           /* number in .sharers->object */
};

/* All zeros: empty. */
struct claims {
	/* Owned; after claims_arrange() claims to the same object are neighbours. */
	struct claim *claim;
	size_t claims, room;
	struct hashmap index; /* of .claim: the first claim to each object */
	struct siphash_key hash_key;
};

/* Frees what C owns, and empties it. */
void claims_done(struct claims *c);
#define AUTO_CLAIMS CLEANUP(claims_done)

/*
 * Adds a claim for each object of S, which stays borrowed. Until claims_done(), S must neither learn
 * another object nor be sorted. Returns 0, or -ENOMEM with C unchanged.
 */
int claims_add(struct claims *c, struct sharers *s);

/*
 * Call exactly once, after the last claims_add(): sorts the claims and makes the index. Returns 0,
 * or -ENOMEM, also if there are more claims than HASHMAP_ROW_MAX; then call only claims_done().
 */
int claims_arrange(struct claims *c);

/*
 * Looks up the object of mapping M, and calls sharers_see() for each subject that has it. Call only
 * after claims_arrange().
 */
void claims_see(const struct claims *c, const struct mapping *m);

#endif
