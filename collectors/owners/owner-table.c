/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Users choose the names in keys, so each table hashes with a secret key of its own
 * (base/siphash.h). A removal moves later entries up, so no marks of removed entries pile up.
 */
#include "config.h"

#include "collectors/owners/owner-table.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"

static uint32_t hash_of(const struct owner_table *s, const void *key, size_t len)
{
	struct siphash h;

	siphash_init(&h, &s->hash_key);
	siphash_add(&h, key, len);
	return (uint32_t)siphash_end(&h);
}

static void scope_free(struct scope *scope)
{
	if (!scope)
		return;
	free(scope->key);
	free(scope->name);
	free(scope);
}

void owner_table_done(struct owner_table *s)
{
	for (uint32_t i = 0; i < s->slots; i++)
		scope_free(s->slot[i]);
	free((void *)s->slot);
	free(s->index);
	*s = (struct owner_table){0};
}

static void index_add(struct owner_table *s, const struct scope *scope)
{
	uint32_t mask = s->index_size - 1, at = scope->hash & mask;

	while (s->index[at])
		at = (at + 1) & mask;
	s->index[at] = scope->slot + 1;
}

/* Keeps the index at most half full. */
static int index_grow(struct owner_table *s)
{
	uint32_t size = s->index_size ? s->index_size * 2 : 64;
	uint32_t *index;

	if (s->count * 2 + 2 <= s->index_size)
		return 0;
	index = calloc(size, sizeof(*index));
	if (!index)
		return -1;
	if (!s->index)
		s->hash_key = siphash_new_key();
	free(s->index);
	s->index = index;
	s->index_size = size;
	for (uint32_t i = 0; i < s->slots; i++)
		if (s->slot[i])
			index_add(s, s->slot[i]);
	return 0;
}

static int take_slot(struct owner_table *s, uint32_t *ret)
{
	struct scope **slot;
	uint32_t more;

	for (; s->free_hint < s->slots; s->free_hint++)
		if (!s->slot[s->free_hint]) {
			*ret = s->free_hint++;
			return 0;
		}
	more = s->slots ? s->slots * 2 : 32;
	slot = reallocarray((void *)s->slot, more, sizeof(struct scope *));
	if (!slot)
		return -1;
	s->slot = slot;
	memset((void *)(slot + s->slots), 0, (more - s->slots) * sizeof(struct scope *));
	s->free_hint = s->slots + 1;
	*ret = s->slots;
	s->slots = more;
	return 0;
}

static struct scope *scope_new(
	const struct owner_table *s, const void *key, size_t len, uint32_t hash)
{
	struct scope *scope = calloc(1, sizeof(*scope));

	if (!scope)
		return NULL;
	scope->key = malloc(len + 1);
	if (!scope->key) {
		free(scope);
		return NULL;
	}
	memcpy(scope->key, key, len);
	scope->key[len] = 0;
	scope->key_len = len;
	scope->hash = hash;
	scope->created_ns = s->created_ns;
	return scope;
}

/* Returns the place of KEY in the index, or the free place for it. */
static uint32_t find_place(const struct owner_table *s, uint32_t hash, const void *key, size_t len)
{
	uint32_t mask = s->index_size - 1, at;

	for (at = hash & mask; s->index[at]; at = (at + 1) & mask) {
		const struct scope *scope = s->slot[s->index[at] - 1];

		if (scope->hash == hash && scope->key_len == len && !memcmp(scope->key, key, len))
			break;
	}
	return at;
}

struct scope *owner_table_find(const struct owner_table *s, const void *key, size_t len)
{
	uint32_t entry;

	if (!s->index_size)
		return NULL;
	entry = s->index[find_place(s, hash_of(s, key, len), key, len)];
	return entry ? s->slot[entry - 1] : NULL;
}

struct scope *owner_table_get(struct owner_table *s, const void *key, size_t len)
{
	struct scope *scope = owner_table_find(s, key, len);
	uint32_t hash;

	if (scope)
		return scope;
	if (index_grow(s) < 0)
		return NULL;
	hash = hash_of(s, key, len);
	scope = scope_new(s, key, len, hash);
	if (!scope)
		return NULL;
	if (take_slot(s, &scope->slot) < 0) {
		scope_free(scope);
		return NULL;
	}
	s->slot[scope->slot] = scope;
	s->index[find_place(s, hash, key, len)] = scope->slot + 1;
	s->count++;
	return scope;
}

void owner_table_remove(struct owner_table *s, struct scope *scope)
{
	uint32_t mask = s->index_size - 1, hole = scope->hash & mask;

	while (s->index[hole] != scope->slot + 1)
		hole = (hole + 1) & mask;
	for (uint32_t at = (hole + 1) & mask; s->index[at]; at = (at + 1) & mask) {
		uint32_t home = s->slot[s->index[at] - 1]->hash & mask;

		/* It may move up unless its home lies behind the hole. */
		if (((at - home) & mask) >= ((at - hole) & mask)) {
			s->index[hole] = s->index[at];
			hole = at;
		}
	}
	s->index[hole] = 0;
	s->slot[scope->slot] = NULL;
	if (scope->slot < s->free_hint)
		s->free_hint = scope->slot;
	s->count--;
	scope_free(scope);
}

struct scope *owner_table_next(const struct owner_table *s, const struct scope *previous)
{
	for (uint32_t i = previous ? previous->slot + 1 : 0; i < s->slots; i++)
		if (s->slot[i])
			return s->slot[i];
	return NULL;
}
