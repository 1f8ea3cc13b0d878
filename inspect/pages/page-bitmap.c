/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "inspect/pages/page-bitmap.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/mix.h"

enum { WORD_BITS = 64 };

void page_bitmap_done(struct page_bitmap *c)
{
	free(c->chunk);
	hashmap_done(&c->index);
	free(c->pages);
	*c = (struct page_bitmap){.max = c->max, .seed = c->seed};
}

/*
 * Writes to *RET the chunk with NUMBER of FILE, which may be new. Returns 0, -ENOSPC or -ENOMEM.
 */
static int page_bitmap_get(
	struct page_bitmap *c, uint32_t file, uint64_t number, struct page_bitmap_chunk **ret)
{
	uint64_t hash = mix_bits(mix_bits(c->seed ^ file) ^ number);
	uint32_t i;

	for (size_t at = 0; hashmap_next(&c->index, hash, &at, &i);)
		if (c->chunk[i].file == file && c->chunk[i].number == number) {
			*ret = &c->chunk[i];
			return 0;
		}
	if (c->chunks >= c->max)
		return -ENOSPC;
	if (ARRAY_RESERVE(c->chunk, c->room, c->chunks + 1) < 0 ||
		hashmap_add(&c->index, hash, c->chunks) < 0)
		return -ENOMEM;
	*ret = &c->chunk[c->chunks++];
	**ret = (struct page_bitmap_chunk){.number = number, .file = file};
	return 0;
}

static int grow_files(struct page_bitmap *c, uint32_t file)
{
	size_t before = c->files;

	if (ARRAY_RESERVE(c->pages, c->files, (size_t)file + 1) < 0)
		return -ENOMEM;
	memset(c->pages + before, 0, (c->files - before) * sizeof(*c->pages));
	return 0;
}

/* The bits from FIRST to LAST of a word. */
static uint64_t page_bitmap_mask_of(unsigned int first, unsigned int last)
{
	return (UINT64_MAX >> (WORD_BITS - 1 - (last - first))) << first;
}

/* Sets the bits from FIRST to LAST of CHUNK. Returns how many were not set before. */
static uint64_t page_bitmap_set(
	struct page_bitmap_chunk *chunk, unsigned int first, unsigned int last)
{
	uint64_t added = 0;

	for (unsigned int w = first / WORD_BITS; w <= last / WORD_BITS; w++) {
		unsigned int from = w == first / WORD_BITS ? first % WORD_BITS : 0;
		unsigned int to = w == last / WORD_BITS ? last % WORD_BITS : WORD_BITS - 1;
		uint64_t bits = page_bitmap_mask_of(from, to) & ~chunk->bit[w];

		added += (uint64_t)__builtin_popcountll(bits);
		chunk->bit[w] |= bits;
	}
	return added;
}

/* Records COUNT pages that are all in one chunk. */
static int page_bitmap_add_in_chunk(
	struct page_bitmap *c, uint32_t file, uint64_t first, unsigned int count)
{
	unsigned int from = (unsigned int)(first % PAGE_BITMAP_CHUNK);
	struct page_bitmap_chunk *chunk;
	int r = page_bitmap_get(c, file, first / PAGE_BITMAP_CHUNK, &chunk);

	if (r == 0)
		c->pages[file] += page_bitmap_set(chunk, from, from + count - 1);
	return r;
}

int page_bitmap_add(struct page_bitmap *c, uint32_t file, uint64_t first, uint64_t count)
{
	int r = grow_files(c, file);

	while (r == 0 && count) {
		uint64_t room = PAGE_BITMAP_CHUNK - first % PAGE_BITMAP_CHUNK;
		unsigned int now = (unsigned int)(count < room ? count : room);

		r = page_bitmap_add_in_chunk(c, file, first, now);
		first += now;
		count -= now;
	}
	return r;
}

uint64_t page_bitmap_pages(const struct page_bitmap *c, uint32_t file)
{
	return file < c->files ? c->pages[file] : 0;
}
