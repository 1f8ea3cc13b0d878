/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Hash Map
 *
 * The index of a table with rows in an array of the caller: from a hash to the numbers of the
 * rows with that hash. The map stores no keys, so the caller compares them. If users can choose
 * keys, the caller hashes them with a secret key (base/siphash.h). The map never shrinks. Pure.
 */
#ifndef MEMTALLY_BASE_HASHMAP_H
#define MEMTALLY_BASE_HASHMAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Limit of row numbers. */
enum { HASHMAP_ROW_MAX = INT32_MAX };

struct hashmap_slot {
	uint32_t hash; /* low half of the hash */
	uint32_t row;  /* number of the row + 1; 0: the slot is free */
};

/* Zeroed: empty. */
struct hashmap {
	struct hashmap_slot *slot; /* owned */
	size_t slots, used;        /* .slots: 0 or a power of 2; .used: slots with a row */
};

/* Frees what M owns, and empties it. */
void hashmap_done(struct hashmap *m);

/*
 * Removes all rows and keeps the memory: as many rows as M had before can then be added, and
 * hashmap_add() does not fail.
 */
void hashmap_clear(struct hashmap *m);

/*
 * Writes the number of the next row with HASH to *RET_ROW. *AT is 0 in the first call and stays
 * unchanged between calls; M must not change, either. Only the low 32 bits of hashes are compared.
 * Returns false if there is no further row; then the search is over.
 *
 *     for (size_t at = 0; hashmap_next(m, hash, &at, &row);)
 *             if (is_same(&table[row], key))
 *                     return &table[row];
 */
bool hashmap_next(const struct hashmap *m, uint64_t hash, size_t *at, uint32_t *ret_row);

/*
 * Adds ROW with HASH. M must not have ROW yet. Returns 0; or -ENOMEM with M unchanged, also if ROW
 * exceeds HASHMAP_ROW_MAX.
 */
int hashmap_add(struct hashmap *m, uint64_t hash, size_t row);

/* Removes ROW, which M must have with HASH. */
void hashmap_remove(struct hashmap *m, uint64_t hash, size_t row);

#endif
