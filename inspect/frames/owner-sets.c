/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "inspect/frames/owner-sets.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/mix.h"

void owner_sets_done(struct owner_sets *s)
{
	free(s->set);
	hashmap_done(&s->index);
	*s = (struct owner_sets){0};
}

static uint64_t owner_sets_hash(const struct owner_set *one)
{
	return mix_bits(mix_bits((uint64_t)one->before << 32 | one->count) + one->group);
}

/* Returns the number of the set that equals ONE; 0: there is none. */
static uint32_t owner_sets_find(const struct owner_sets *s, const struct owner_set *one)
{
	uint32_t number;

	for (size_t at = 0; hashmap_next(&s->index, owner_sets_hash(one), &at, &number);) {
		const struct owner_set *set = &s->set[number];

		if (set->before == one->before && set->group == one->group &&
			set->count == one->count)
			return number;
	}
	return 0;
}

static int owner_sets_add(struct owner_sets *s, const struct owner_set *one, uint32_t *ret)
{
	uint32_t number = s->count ? s->count : OWNER_SETS_FIRST;

	if (ARRAY_RESERVE(s->set, s->room, number + 1) < 0 ||
		hashmap_add(&s->index, owner_sets_hash(one), number) < 0)
		return -ENOMEM;
	s->set[number] = *one;
	s->count = number + 1;
	*ret = number;
	return 0;
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
	if (!number)
		return owner_sets_add(s, one, ret);
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
	return s->room * sizeof(*s->set) + s->index.slots * sizeof(*s->index.slot);
}
