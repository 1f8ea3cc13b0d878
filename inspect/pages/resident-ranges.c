/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "inspect/pages/resident-ranges.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

void resident_ranges_done(struct resident_ranges *r)
{
	free(r->page);
	*r = (struct resident_ranges){0};
}

void resident_ranges_clear(struct resident_ranges *r)
{
	r->count = 0;
	memset(r->sum, 0, sizeof(r->sum));
}

int resident_ranges_add(struct resident_ranges *r, const struct page *p)
{
	uint64_t number = p->address / r->page_size;
	struct resident_ranges_page *page;
	bool is_dirty = false;

	if (p->state != PAGE_RESIDENT && p->state != PAGE_SWAPPED)
		return 0;
	if (r->count && number <= r->page[r->count - 1].number)
		return -EINVAL;
	if (r->count == UINT32_MAX || ARRAY_RESERVE(r->page, r->room, r->count + 1) < 0)
		return -ENOMEM;
	page = &r->page[r->count++];
	page->number = number;
	memcpy(page->before, r->sum, sizeof(page->before));
	if (p->state == PAGE_SWAPPED) {
		r->sum[RESIDENT_RANGES_SWAPPED]++;
		return 0;
	}
	r->sum[RESIDENT_RANGES_RESIDENT]++;
	r->sum[RESIDENT_RANGES_PRIVATE] += p->is_exclusive;
	r->sum[RESIDENT_RANGES_WRITTEN] += !p->is_file;
	r->sum[RESIDENT_RANGES_DIRTY] += page_is_dirty(p, &is_dirty) && is_dirty;
	return 0;
}

/* Returns the first page with a number of at least NUMBER; .count if there is none. */
static size_t resident_ranges_find(const struct resident_ranges *r, uint64_t number)
{
	return ARRAY_FIRST(r->count, i, r->page[i].number >= number);
}

static const uint32_t *resident_ranges_before(const struct resident_ranges *r, size_t i)
{
	return i < r->count ? r->page[i].before : r->sum;
}

/* Adds BYTES, which may be negative modulo 2^64, for each stored page in [FROM, TO). */
static void add_pages(const struct resident_ranges *r, size_t from, size_t to, uint64_t bytes,
	uint64_t ret[static RESIDENT_RANGES_FIELDS])
{
	for (unsigned int i = 0; i < RESIDENT_RANGES_FIELDS; i++)
		ret[i] += (resident_ranges_before(r, to)[i] - resident_ranges_before(r, from)[i]) *
		          bytes;
}

void resident_ranges_sum(const struct resident_ranges *r, uint64_t start, uint64_t end,
	uint64_t ret[static RESIDENT_RANGES_FIELDS])
{
	uint64_t size = r->page_size, first = start / size, last;
	size_t from, to;

	if (start >= end)
		return;
	last = (end - 1) / size;
	from = resident_ranges_find(r, first);
	to = resident_ranges_find(r, last + 1);
	add_pages(r, from, to, size, ret);
	/* Subtract the parts of the first and the last page that are outside. */
	if (from < to && r->page[from].number == first)
		add_pages(r, from, from + 1, -(start - first * size), ret);
	if (from < to && r->page[to - 1].number == last)
		add_pages(r, to - 1, to, -((last + 1) * size - end), ret);
}
