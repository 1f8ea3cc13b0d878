/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "inspect/frames/owner-sets.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_ROOM = 64 };

void owner_sets_done(struct owner_sets *p)
{
	free(p->set);
	free(p->index);
	*p = (struct owner_sets){0};
}

static size_t hash(uint32_t before, uint32_t group, uint32_t count)
{
	uint64_t x = ((uint64_t)before << 32 | count) * UINT64_C(0x9e3779b97f4a7c15);

	x ^= ((uint64_t)group + 1) * UINT64_C(0xc2b2ae3d27d4eb4f);
	x ^= x >> 29;
	x *= UINT64_C(0xbf58476d1ce4e5b9);
	return (size_t)(x ^ x >> 32);
}

static void add_to_index(struct owner_sets *p, uint32_t number)
{
	const struct owner_set *set = &p->set[number];
	size_t i = hash(set->before, set->group, set->count) & (p->index_size - 1);

	while (p->index[i])
		i = (i + 1) & (p->index_size - 1);
	p->index[i] = number;
}

/* Makes the hash table twice as large as .set. */
static int grow_index(struct owner_sets *p, uint32_t room)
{
	size_t size = (size_t)room * 2;
	uint32_t *index = calloc(size, sizeof(*index));

	if (!index)
		return -ENOMEM;
	free(p->index);
	p->index = index;
	p->index_size = size;
	for (uint32_t i = OWNER_SETS_FIRST; i < p->count; i++)
		add_to_index(p, i);
	return 0;
}

static int make_room(struct owner_sets *p)
{
	uint32_t room = p->room ? p->room * 2 : FIRST_ROOM;
	struct owner_set *more;

	if (p->count < p->room)
		return 0;
	more = reallocarray(p->set, room, sizeof(*more));
	if (!more)
		return -ENOMEM;
	p->set = more;
	if (!p->count) {
		memset(more, 0, OWNER_SETS_FIRST * sizeof(*more));
		p->count = OWNER_SETS_FIRST;
	}
	if (grow_index(p, room) < 0)
		return -ENOMEM;
	p->room = room;
	return 0;
}

/* Returns the number of the set that equals ONE; 0: there is none. */
static uint32_t find(const struct owner_sets *p, const struct owner_set *one)
{
	size_t i;

	if (!p->index)
		return 0;
	i = hash(one->before, one->group, one->count) & (p->index_size - 1);
	for (; p->index[i]; i = (i + 1) & (p->index_size - 1)) {
		const struct owner_set *set = &p->set[p->index[i]];

		if (set->before == one->before && set->group == one->group &&
			set->count == one->count)
			break;
	}
	return p->index[i];
}

static bool is_full(const struct owner_sets *p, const struct owner_set *one)
{
	uint32_t shared_max = p->shared_max ? p->shared_max : OWNER_SETS_SHARED_MAX;
	uint32_t alone_max = p->alone_max ? p->alone_max : OWNER_SETS_ALONE_MAX;

	return p->count >= (one->before ? shared_max : alone_max);
}

static int get(struct owner_sets *p, const struct owner_set *one, uint32_t *ret)
{
	uint32_t number = find(p, one);

	if (!number && is_full(p, one)) {
		*ret = OWNER_SETS_MANY;
		return 0;
	}
	if (!number) {
		if (make_room(p) < 0)
			return -ENOMEM;
		number = p->count++;
		p->set[number] = *one;
		add_to_index(p, number);
	}
	*ret = number;
	return 0;
}

static uint32_t one_more(uint32_t count)
{
	return count < UINT32_MAX ? count + 1 : count;
}

static struct owner_set joined(const struct owner_sets *p, uint32_t number, uint32_t group)
{
	const struct owner_set *set = number ? &p->set[number] : NULL;

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

int owner_sets_join(struct owner_sets *p, uint32_t number, uint32_t group, uint32_t *ret)
{
	size_t place = (number * 31 + group) % OWNER_SETS_NEAR;
	struct owner_set one;
	int r;

	if (number == OWNER_SETS_MANY) {
		*ret = OWNER_SETS_MANY;
		return 0;
	}
	if (p->near[place].to && p->near[place].from == number && p->near[place].group == group) {
		*ret = p->near[place].to;
		return 0;
	}
	one = joined(p, number, group);
	r = get(p, &one, ret);
	if (r == 0) {
		p->near[place].from = number;
		p->near[place].group = group;
		p->near[place].to = *ret;
	}
	return r;
}

uint32_t owner_sets_groups(const struct owner_sets *p, uint32_t number)
{
	uint32_t groups = 0;

	for (; number; number = p->set[number].before)
		groups++;
	return groups;
}

size_t owner_sets_bytes(const struct owner_sets *p)
{
	return p->room * sizeof(*p->set) + p->index_size * sizeof(*p->index);
}
