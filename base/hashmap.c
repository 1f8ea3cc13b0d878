/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Open addressing with linear probing, at most half full. Slots have the hashes, so the map grows
 * without the caller's keys. Removal leaves no mark: the following rows move up.
 */
#include "config.h"

#include "base/hashmap.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { SLOTS_MIN = 64 };

void hashmap_done(struct hashmap *m)
{
	free(m->slot);
	*m = (struct hashmap){0};
}

void hashmap_clear(struct hashmap *m)
{
	if (m->used)
		memset(m->slot, 0, m->slots * sizeof(*m->slot));
	m->used = 0;
}

bool hashmap_next(const struct hashmap *m, uint64_t hash, size_t *at, uint32_t *ret_row)
{
	while (m->slots) {
		struct hashmap_slot slot = m->slot[(hash + (*at)++) & (m->slots - 1)];

		if (!slot.row)
			return false;
		if (slot.hash == (uint32_t)hash) {
			*ret_row = slot.row - 1;
			return true;
		}
	}
	return false;
}

/* Puts ONE into a free slot. M must have one. */
static void hashmap_put(struct hashmap *m, struct hashmap_slot one)
{
	size_t i = one.hash & (m->slots - 1);

	while (m->slot[i].row)
		i = (i + 1) & (m->slots - 1);
	m->slot[i] = one;
}

static int hashmap_grow(struct hashmap *m)
{
	struct hashmap larger = {
		.slots = m->slots ? 2 * m->slots : SLOTS_MIN,
		.used = m->used,
	};

	larger.slot = calloc(larger.slots, sizeof(*larger.slot));
	if (!larger.slot)
		return -ENOMEM;
	for (size_t i = 0; i < m->slots; i++)
		if (m->slot[i].row)
			hashmap_put(&larger, m->slot[i]);
	free(m->slot);
	*m = larger;
	return 0;
}

int hashmap_add(struct hashmap *m, uint64_t hash, size_t row)
{
	if (row > HASHMAP_ROW_MAX || (m->used >= m->slots / 2 && hashmap_grow(m) < 0))
		return -ENOMEM;
	hashmap_put(m, (struct hashmap_slot){(uint32_t)hash, (uint32_t)row + 1});
	m->used++;
	return 0;
}

void hashmap_remove(struct hashmap *m, uint64_t hash, size_t row)
{
	size_t mask = m->slots - 1, hole = hash & mask;

	assert(m->used);
	while (m->slot[hole].row != row + 1)
		hole = (hole + 1) & mask;
	for (size_t i = (hole + 1) & mask; m->slot[i].row; i = (i + 1) & mask) {
		size_t home = m->slot[i].hash & mask;

		/* It may move up unless its home lies behind the hole. */
		if (((i - home) & mask) >= ((i - hole) & mask)) {
			m->slot[hole] = m->slot[i];
			hole = i;
		}
	}
	m->slot[hole] = (struct hashmap_slot){0, 0};
	m->used--;
}
