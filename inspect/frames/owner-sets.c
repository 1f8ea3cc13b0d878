/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "inspect/frames/owner-sets.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

void owner_sets_done(struct owner_sets *s)
{
	free(s->set);
	free(s->index);
	*s = (struct owner_sets){0};
}

static size_t owner_sets_hash(uint32_t before, uint32_t group, uint32_t count)
{
	uint64_t x = ((uint64_t)before << 32 | count) * UINT64_C(0x9e3779b97f4a7c15);

	x ^= ((uint64_t)group + 1) * UINT64_C(0xc2b2ae3d27d4eb4f);
	x ^= x >> 29;
	x *= UINT64_C(0xbf58476d1ce4e5b9);
	return (size_t)(x ^ x >> 32);
}

static void add_to_index(struct owner_sets *s, uint32_t number)
{
	const struct owner_set *set = &s->set[number];
	size_t i = owner_sets_hash(set->before, set->group, set->count) & (s->index_size - 1);

	while (s->index[i])
		i = (i + 1) & (s->index_size - 1);
	s->index[i] = number;
}

/* SIZE is a power of 2. */
static int grow_index(struct owner_sets *s, size_t size)
{
	uint32_t *index = calloc(size, sizeof(*index));

	if (!index)
		return -ENOMEM;
	free(s->index);
	s->index = index;
	s->index_size = size;
	for (uint32_t i = OWNER_SETS_FIRST; i < s->count; i++)
		add_to_index(s, i);
	return 0;
}

static int owner_sets_make_room(struct owner_sets *s)
{
	if (ARRAY_RESERVE(s->set, s->room, s->count + 1) < 0)
		return -ENOMEM;
	if (!s->count) {
		memset(s->set, 0, OWNER_SETS_FIRST * sizeof(*s->set));
		s->count = OWNER_SETS_FIRST;
	}
	return s->index_size < 2 * s->room ? grow_index(s, 2 * s->room) : 0;
}

/* Returns the number of the set that equals ONE; 0: there is none. */
static uint32_t owner_sets_find(const struct owner_sets *s, const struct owner_set *one)
{
	size_t i;

	if (!s->index)
		return 0;
	i = owner_sets_hash(one->before, one->group, one->count) & (s->index_size - 1);
	for (; s->index[i]; i = (i + 1) & (s->index_size - 1)) {
		const struct owner_set *set = &s->set[s->index[i]];

		if (set->before == one->before && set->group == one->group &&
			set->count == one->count)
			break;
	}
	return s->index[i];
}

static bool is_full(const struct owner_sets *s, const struct owner_set *one)
{
	uint32_t shared_max = s->shared_max ? s->shared_max : OWNER_SETS_SHARED_MAX;
	uint32_t alone_max = s->alone_max ? s->alone_max : OWNER_SETS_ALONE_MAX;

	return s->count >= (one->before ? shared_max : alone_max);
}

static int owner_sets_get(struct owner_sets *s, const struct owner_set *one, uint32_t *ret)
{
	uint32_t number = owner_sets_find(s, one);

	if (!number && is_full(s, one)) {
		*ret = OWNER_SETS_MANY;
		return 0;
	}
	if (!number) {
		if (owner_sets_make_room(s) < 0)
			return -ENOMEM;
		number = s->count++;
		s->set[number] = *one;
		add_to_index(s, number);
	}
	*ret = number;
	return 0;
}

static uint32_t one_more(uint32_t count)
{
	return count < UINT32_MAX ? count + 1 : count;
}

static struct owner_set owner_sets_joined(
	const struct owner_sets *s, uint32_t number, uint32_t group)
{
	const struct owner_set *set = number ? &s->set[number] : NULL;

	if (!set)
		return (struct owner_set){.group = group, .count = 1, .seen = 1};
	if (set->group != group)
		return (struct owner_set){
			.before = number, .group = group, .count = 1, .seen = one_more(set->seen)};
	return (struct owner_set){.before = set->before,
		.group = group,
		.count = one_more(set->count),
		.seen = one_more(set->seen)};
}

int owner_sets_join(struct owner_sets *s, uint32_t number, uint32_t group, uint32_t *ret)
{
	size_t place = (number * 31 + group) % OWNER_SETS_NEAR;
	struct owner_set one;
	int r;

	if (number == OWNER_SETS_MANY) {
		*ret = OWNER_SETS_MANY;
		return 0;
	}
	if (s->near[place].to && s->near[place].from == number && s->near[place].group == group) {
		*ret = s->near[place].to;
		return 0;
	}
	one = owner_sets_joined(s, number, group);
	r = owner_sets_get(s, &one, ret);
	if (r == 0) {
		s->near[place].from = number;
		s->near[place].group = group;
		s->near[place].to = *ret;
	}
	return r;
}

uint32_t owner_sets_groups(const struct owner_sets *s, uint32_t number)
{
	uint32_t groups = 0;

	for (; number; number = s->set[number].before)
		groups++;
	return groups;
}

size_t owner_sets_bytes(const struct owner_sets *s)
{
	return s->room * sizeof(*s->set) + s->index_size * sizeof(*s->index);
}
