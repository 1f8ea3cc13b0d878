/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "tests/unit/support/unit.h"

#include "tests/unit/support/model/world.h"

void world_map(struct world *w, uint64_t size, uint64_t mask, enum world_kind kind)
{
	assert_true(w->blocks < WORLD_BLOCKS);
	w->block[w->blocks++] = (struct world_block){size, mask, kind};
}

void world_write(struct world *w, unsigned int i, uint64_t size)
{
	for (unsigned int b = 0, blocks = w->blocks; b < blocks && size; b++) {
		struct world_block *shared = &w->block[b];
		uint64_t part = shared->size < size ? shared->size : size;

		if (!part || shared->kind != WORLD_ANON || !(shared->mask & world_bit(i)) ||
			shared->mask == world_bit(i))
			continue;
		world_map(w, part, world_bit(i), WORLD_ANON);
		world_map(w, part, shared->mask & ~world_bit(i), WORLD_ANON);
		shared->size -= part;
		size -= part;
	}
	assert_int_equal(size, 0);
}

void world_fork(struct world *w, unsigned int parent, unsigned int child)
{
	for (unsigned int b = 0; b < w->blocks; b++)
		if (w->block[b].kind == WORLD_ANON && (w->block[b].mask & world_bit(parent)))
			w->block[b].mask |= world_bit(child);
}

void world_touch_files(struct world *w, unsigned int first, unsigned int last)
{
	for (unsigned int b = 0; b < w->blocks; b++)
		for (unsigned int i = first; i <= last; i++)
			if (w->block[b].kind == WORLD_FILES)
				w->block[b].mask |= world_bit(i);
}

void world_unmap_all(struct world *w, unsigned int i)
{
	for (unsigned int b = 0; b < w->blocks; b++)
		w->block[b].mask &= ~world_bit(i);
}

static uint64_t world_rss(const struct world *w, unsigned int i, enum world_kind kind)
{
	uint64_t sum = 0;

	for (unsigned int b = 0; b < w->blocks; b++)
		if (w->block[b].kind == kind && (w->block[b].mask & world_bit(i)))
			sum += w->block[b].size;
	return sum;
}

uint64_t world_pss(const struct world *w, unsigned int i, enum world_kind kind)
{
	uint64_t sum = 0;

	for (unsigned int b = 0; b < w->blocks; b++)
		if (w->block[b].kind == kind && (w->block[b].mask & world_bit(i)))
			sum += w->block[b].size /
			       (unsigned int)__builtin_popcountll(w->block[b].mask);
	return sum;
}

struct estimate_now world_now(const struct world *w, unsigned int i)
{
	return (struct estimate_now){world_rss(w, i, WORLD_ANON), world_rss(w, i, WORLD_FILES), 0};
}

struct estimate_base world_measure(const struct world *w, unsigned int i)
{
	struct estimate_base base = {
		.anon = world_rss(w, i, WORLD_ANON),
		.file = world_rss(w, i, WORLD_FILES),
		.pss_anon = world_pss(w, i, WORLD_ANON),
		.pss_file = world_pss(w, i, WORLD_FILES),
		.rounding = 1024,
		.has_parts = true,
	};

	for (unsigned int b = 0; b < w->blocks; b++)
		if (w->block[b].mask == world_bit(i))
			base.uss += w->block[b].size;
	return base;
}

uint64_t world_sum(const struct world *w, enum world_kind kind)
{
	uint64_t sum = 0;

	for (unsigned int b = 0; b < w->blocks; b++)
		if (w->block[b].kind == kind && w->block[b].mask)
			sum += w->block[b].size;
	return sum;
}
