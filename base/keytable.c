/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Open addressing with linear probing, at most three quarters full. Removal leaves no mark: the
 * following items move up.
 */
#include "config.h"

#include "base/keytable.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>

#include "base/mix.h"

enum { SLOTS_MIN = 64 };

void keytable_done(struct keytable *t)
{
	free(t->slot);
	*t = (struct keytable){0};
}

/* Each step mixes in a value that strangers do not know. */
uint64_t keytable_key(const struct keytable *t, uint64_t a, uint64_t b)
{
	uint64_t key = mix_bits(mix_bits(a + (t->seed ^ UINT64_C(0x9e3779b97f4a7c15))) + b);

	return key ? key : 1;
}

/* Returns the slot of KEY, or the free slot for it. T must have slots. */
static size_t keytable_place(const struct keytable *t, uint64_t key)
{
	size_t i = key & (t->slots - 1);

	while (t->slot[i].key && t->slot[i].key != key)
		i = (i + 1) & (t->slots - 1);
	return i;
}

void *keytable_find(const struct keytable *t, uint64_t key)
{
	return t->slots ? t->slot[keytable_place(t, key)].item : NULL;
}

static int keytable_grow(struct keytable *t)
{
	struct keytable larger = *t;

	larger.slots = t->slots ? 2 * t->slots : SLOTS_MIN;
	larger.slot = calloc(larger.slots, sizeof(*larger.slot));
	if (!larger.slot)
		return -ENOMEM;
	for (size_t i = 0; i < t->slots; i++)
		if (t->slot[i].key)
			larger.slot[keytable_place(&larger, t->slot[i].key)] = t->slot[i];
	free(t->slot);
	*t = larger;
	return 0;
}

int keytable_set(struct keytable *t, uint64_t key, void *item)
{
	size_t i;

	assert(key && item);
	if (t->slots) {
		i = keytable_place(t, key);
		if (t->slot[i].key) {
			t->slot[i].item = item;
			return 0;
		}
	}
	if (t->used >= t->slots / 4 * 3) {
		int r = keytable_grow(t);

		if (r < 0)
			return r;
	}
	t->slot[keytable_place(t, key)] = (struct keytable_slot){key, item};
	t->used++;
	return 0;
}

void keytable_remove(struct keytable *t, uint64_t key)
{
	size_t mask = t->slots - 1, free_slot;

	if (!t->slots)
		return;
	free_slot = keytable_place(t, key);
	if (!t->slot[free_slot].key)
		return;
	for (size_t i = (free_slot + 1) & mask; t->slot[i].key; i = (i + 1) & mask) {
		size_t home = t->slot[i].key & mask;

		/* It may move up unless its home lies behind the free slot. */
		if (((i - home) & mask) >= ((i - free_slot) & mask)) {
			t->slot[free_slot] = t->slot[i];
			free_slot = i;
		}
	}
	t->slot[free_slot] = (struct keytable_slot){0};
	t->used--;
}
