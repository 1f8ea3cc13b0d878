/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Object Users
 *
 * Finds which of several subjects, processes that a user asks about, share the file, shared memory
 * or anonymous memory of a mapping: each of these is a thing (struct sharers_thing). A claim is a
 * thing of one subject. Each mapping of any other process is looked up once, for all subjects.
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
	size_t thing;            /* number in .sharers->thing */
};

/* All zeros: empty. */
struct claims {
	/* Owned; after claims_arrange() claims to the same thing are neighbours. */
	struct claim *claim;
	size_t claims, room;
	struct hashmap index; /* of .claim: the first claim to each thing */
	struct siphash_key hash_key;
};

/* Frees what C owns, and empties it. */
void claims_done(struct claims *c);
#define AUTO_CLAIMS CLEANUP(claims_done)

/*
 * Adds a claim for each thing of S, which stays borrowed. Until claims_done(), S must neither learn
 * another thing nor be sorted. Returns 0, or -ENOMEM with C unchanged.
 */
int claims_add(struct claims *c, struct sharers *s);

/*
 * Call exactly once, after the last claims_add(): sorts the claims and makes the index. Returns 0,
 * or -ENOMEM, also if there are more claims than HASHMAP_ROW_MAX; then call only claims_done().
 */
int claims_arrange(struct claims *c);

/*
 * Looks up the thing of mapping M, and calls sharers_see() for each subject that has it. Call only
 * after claims_arrange().
 */
void claims_see(const struct claims *c, const struct mapping *m);

#endif
