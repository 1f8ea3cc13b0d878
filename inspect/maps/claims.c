/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "inspect/maps/claims.h"

#include <errno.h>
#include <stdlib.h>

void claims_done(struct claims *c)
{
	free(c->claim);
	free(c->index);
	*c = (struct claims){.claim = NULL};
}

static const struct sharers_thing *thing_of(const struct claim *c)
{
	return &c->sharers->thing[c->thing];
}

int claims_add(struct claims *c, struct sharers *s)
{
	struct claim *more = reallocarray(c->claim, c->claims + s->things + 1, sizeof(*more));

	if (!more)
		return -ENOMEM;
	c->claim = more;
	for (size_t i = 0; i < s->things; i++)
		more[c->claims++] = (struct claim){.sharers = s, .thing = i};
	return 0;
}

static int by_thing(const void *a, const void *b)
{
	return sharers_compare(thing_of(a), thing_of(b));
}

static bool is_first(const struct claims *c, size_t i)
{
	return !i || sharers_compare(thing_of(&c->claim[i - 1]), thing_of(&c->claim[i])) != 0;
}

int claims_arrange(struct claims *c)
{
	size_t size = 64;

	if (c->claims >= UINT32_MAX / 4)
		return -ENOMEM;
	while (size < 2 * c->claims)
		size *= 2;
	c->index = calloc(size, sizeof(*c->index));
	if (!c->index)
		return -ENOMEM;
	c->index_size = size;
	c->hash_key = siphash_new_key();
	if (c->claims)
		qsort(c->claim, c->claims, sizeof(*c->claim), by_thing);
	for (size_t i = 0; i < c->claims; i++) {
		size_t at = sharers_hash(&c->hash_key, thing_of(&c->claim[i])) & (size - 1);

		if (!is_first(c, i))
			continue;
		while (c->index[at])
			at = (at + 1) & (size - 1);
		c->index[at] = (uint32_t)i + 1;
	}
	return 0;
}

void claims_see(const struct claims *c, const struct mapping *m)
{
	const struct sharers_thing key = sharers_key(m);
	size_t mask = c->index_size - 1, at = sharers_hash(&c->hash_key, &key) & mask, i;

	while (c->index[at] && sharers_compare(thing_of(&c->claim[c->index[at] - 1]), &key) != 0)
		at = (at + 1) & mask;
	if (!c->index[at])
		return;
	i = c->index[at] - 1;
	do
		sharers_see(c->claim[i].sharers, c->claim[i].thing);
	while (++i < c->claims && !is_first(c, i));
}
