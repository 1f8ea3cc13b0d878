/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "inspect/maps/claims.h"

#include <errno.h>
#include <stdlib.h>

#include "base/array.h"

void claims_done(struct claims *c)
{
	free(c->claim);
	hashmap_done(&c->index);
	*c = (struct claims){.claim = NULL};
}

static const struct sharers_object *object_of(const struct claim *c)
{
	return &c->sharers->object[c->object];
}

int claims_add(struct claims *c, struct sharers *s)
{
	if (ARRAY_RESERVE(c->claim, c->room, c->claims + s->objects) < 0)
		return -ENOMEM;
	for (size_t i = 0; i < s->objects; i++)
		c->claim[c->claims++] = (struct claim){.sharers = s, .object = i};
	return 0;
}

static int by_object(const void *a, const void *b)
{
	return sharers_compare(object_of(a), object_of(b));
}

static bool is_first(const struct claims *c, size_t i)
{
	return !i || sharers_compare(object_of(&c->claim[i - 1]), object_of(&c->claim[i])) != 0;
}

int claims_arrange(struct claims *c)
{
	c->hash_key = siphash_new_key();
	if (c->claims)
		qsort(c->claim, c->claims, sizeof(*c->claim), by_object);
	for (size_t i = 0; i < c->claims; i++) {
		uint64_t hash = sharers_hash(&c->hash_key, object_of(&c->claim[i]));

		if (is_first(c, i) && hashmap_add(&c->index, hash, i) < 0)
			return -ENOMEM;
	}
	return 0;
}

void claims_see(const struct claims *c, const struct mapping *m)
{
	const struct sharers_object key = sharers_key(m);
	uint64_t hash = sharers_hash(&c->hash_key, &key);
	size_t at = 0;
	uint32_t i;

	do
		if (!hashmap_next(&c->index, hash, &at, &i))
			return;
	while (sharers_compare(object_of(&c->claim[i]), &key) != 0);
	do
		sharers_see(c->claim[i].sharers, c->claim[i].object);
	while (++i < c->claims && !is_first(c, i));
}
