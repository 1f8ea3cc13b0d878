/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Users choose the names in keys, so each table hashes with a secret key of its own
 * (base/siphash.h).
 */
#include "config.h"

#include "collectors/owners/owner-table.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/cleanup.h"

static uint32_t owner_table_hash_of(const struct owner_table *s, const void *key, size_t len)
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
	hashmap_done(&s->index);
	*s = (struct owner_table){0};
}

/* Makes .free_hint the first free slot. */
static int make_slot(struct owner_table *s)
{
	size_t before = s->slots;

	while (s->free_hint < s->slots && s->slot[s->free_hint])
		s->free_hint++;
	if (s->free_hint < s->slots)
		return 0;
	if (ARRAY_RESERVE(s->slot, s->slots, before + 1) < 0)
		return -ENOMEM;
	memset((void *)(s->slot + before), 0, (s->slots - before) * sizeof(struct scope *));
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

static struct scope *owner_table_find_hashed(
	const struct owner_table *s, uint32_t hash, const void *key, size_t len)
{
	uint32_t i;

	for (size_t at = 0; hashmap_next(&s->index, hash, &at, &i);)
		if (s->slot[i]->key_len == len && !memcmp(s->slot[i]->key, key, len))
			return s->slot[i];
	return NULL;
}

struct scope *owner_table_find(const struct owner_table *s, const void *key, size_t len)
{
	return owner_table_find_hashed(s, owner_table_hash_of(s, key, len), key, len);
}

struct scope *owner_table_get(struct owner_table *s, const void *key, size_t len)
{
	struct scope *scope;
	uint32_t hash;

	if (!s->count)
		s->hash_key = siphash_new_key();
	hash = owner_table_hash_of(s, key, len);
	scope = owner_table_find_hashed(s, hash, key, len);
	if (scope)
		return scope;
	scope = scope_new(s, key, len, hash);
	if (!scope || make_slot(s) < 0 || hashmap_add(&s->index, hash, s->free_hint) < 0) {
		scope_free(scope);
		return NULL;
	}
	scope->slot = s->free_hint;
	s->slot[scope->slot] = scope;
	s->count++;
	return scope;
}

void owner_table_remove(struct owner_table *s, struct scope *scope)
{
	hashmap_remove(&s->index, scope->hash, scope->slot);
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
