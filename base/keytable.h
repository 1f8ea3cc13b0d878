/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A hash table of borrowed pointers. Keys are 64-bit numbers, never 0, that must be evenly spread
 * already, as keytable_key() makes them. The table grows and never shrinks. Strangers may choose
 * what keys are made of: with a secret seed they cannot choose keys that collide. Pure.
 */
#ifndef MEMTALLY_BASE_KEYTABLE_H
#define MEMTALLY_BASE_KEYTABLE_H

#include <stddef.h>
#include <stdint.h>

struct keytable_slot {
	uint64_t key; /* 0: the slot is free */
	void *item;   /* borrowed */
};

struct keytable {
	struct keytable_slot *slot;
	size_t slots, used; /* .slots: 0 or a power of 2; .used: slots with an item */
	uint64_t seed;      /* set it before the first key is made; 0: none */
};

/* Frees the slots of T, not the items, and makes T all zeros: its seed is lost, too. */
void keytable_done(struct keytable *t);

/* Returns a key made of the numbers A and B with the seed of T; never 0. */
uint64_t keytable_key(const struct keytable *t, uint64_t a, uint64_t b);

/* Returns the item with KEY, or NULL if there is none. */
void *keytable_find(const struct keytable *t, uint64_t key);

/*
 * Sets the item of KEY, which must not be 0. ITEM must not be NULL. Replacing the item of a key
 * that is in T cannot fail. Returns 0, or -ENOMEM with T unchanged.
 */
int keytable_set(struct keytable *t, uint64_t key, void *item);

/*
 * Removes KEY and its item, which is not freed, from T. Does nothing if T does not have KEY. Keeps
 * the memory of the slot. Cannot fail.
 */
void keytable_remove(struct keytable *t, uint64_t key);

#endif
