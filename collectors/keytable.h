/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A hash table of pointers by keys that are already evenly spread numbers, never 0. It grows and never
 * shrinks. What keys are made of may be chosen by strangers: with a seed that they don't know they can't
 * choose keys that meet. Pure.
 */
#ifndef MEMTALLY_COLLECTORS_KEYTABLE_H
#define MEMTALLY_COLLECTORS_KEYTABLE_H

#include <stddef.h>
#include <stdint.h>

struct keytable_slot {
	uint64_t key; /* 0: free */
	void *item;   /* borrowed */
};

struct keytable {
	struct keytable_slot *slot;
	size_t slots, used; /* slots: 0 or a power of 2 */
	uint64_t seed;      /* set before the first key is made, if at all */
};

void keytable_done(struct keytable *t);

/* Two numbers as a key of T. */
uint64_t keytable_key(const struct keytable *t, uint64_t a, uint64_t b);

/* NULL: there is none. */
void *keytable_find(const struct keytable *t, uint64_t key);

/* Adds ITEM, or replaces the one of the same key, which can't fail. -ENOMEM: T is as it was. */
int keytable_set(struct keytable *t, uint64_t key, void *item);

void keytable_remove(struct keytable *t, uint64_t key);

#endif
