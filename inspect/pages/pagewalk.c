/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "inspect/pages/pagewalk.h"

#include <errno.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "inspect/pages/pagemap.h"

enum {
	ENTRIES = 512,
	SCAN_PAGES_MAX = 1 << 14, /* pages of one call: a few hundred microseconds */
};

/* The parameters of one walk. */
struct walk {
	struct pagewalk *w;
	bool is_hugetlb;
	pagewalk_taker take;
	void *context;
};

uint64_t pagewalk_page_size(void)
{
	return (uint64_t)sysconf(_SC_PAGESIZE);
}

/* Pages that are read together. */
struct batch {
	uint64_t entry[ENTRIES];
	size_t count;
	struct page_facts facts[ENTRIES];
	struct kpage_query query[ENTRIES];
};

/*
 * Asks for the frames of B. A frame that is no memory of the host, such as a device's, gets
 * KPAGE_NOPAGE.
 */
static int ask_of_frames(const struct kpage *frames, struct batch *b)
{
	size_t asked = 0;
	int r;

	for (size_t i = 0; i < b->count; i++) {
		uint64_t frame = pagemap_frame(b->entry[i]);

		if (frame)
			b->query[asked++] = (struct kpage_query){.frame = frame, .number = i};
	}
	r = kpage_ask(frames, b->query, asked);
	for (size_t i = 0; r == 0 && i < asked; i++) {
		const struct kpage_query *q = &b->query[i];
		struct page_facts *f = &b->facts[q->number];

		f->has_frame = true;
		f->mappings = q->mappings;
		f->flags = q->is_none ? KPAGE_NOPAGE : q->flags;
	}
	return r;
}

static int take_batch(
	const struct walk *walk, uint64_t start, struct batch *b, const struct pagemap_region *of)
{
	uint64_t page_size = pagewalk_page_size();
	int r = 0;

	for (size_t i = 0; i < b->count; i++)
		b->facts[i] = (struct page_facts){
			.entry = b->entry[i],
			.has_categories = !walk->w->cannot_scan,
			.categories = of->categories,
			.is_hugetlb = walk->is_hugetlb,
		};
	if (walk->w->frames)
		r = ask_of_frames(walk->w->frames, b);
	for (size_t i = 0; r == 0 && i < b->count; i++) {
		struct page page;

		if (!b->entry[i])
			continue;
		page = page_of(start + i * page_size, &b->facts[i]);
		if (page.state != PAGE_NONE)
			r = walk->take(&page, walk->context);
	}
	return r;
}

static int walk_region(const struct walk *walk, const struct pagemap_region *region)
{
	uint64_t page_size = pagewalk_page_size(), at = region->start;
	struct batch b;
	int r = 0;

	while (r == 0 && at < region->end) {
		uint64_t left = (region->end - at + page_size - 1) / page_size;

		b.count = 0;
		r = pagemap_read(
			walk->w->fd, at, b.entry, left < ENTRIES ? left : ENTRIES, &b.count);
		if (r == 0 && !b.count)
			return 0;
		if (r == 0)
			r = take_batch(walk, at, &b, region);
		at += b.count * page_size;
	}
	return r;
}

static int walk_regions(struct pagemap_region *region, size_t count, void *context)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < count; i++)
		r = walk_region(context, &region[i]);
	return r;
}

int pagewalk(struct pagewalk *w, uint64_t start, uint64_t end, bool is_hugetlb, pagewalk_taker take,
	void *context)
{
	const uint64_t there = PAGEMAP_IS_PRESENT | PAGEMAP_IS_SWAPPED;
	const struct pagemap_wanted wanted = {
		.any_of = there,
		.told = there | PAGEMAP_IS_FILE | PAGEMAP_IS_ZERO | PAGEMAP_IS_HUGE,
		.pages_max = SCAN_PAGES_MAX,
	};
	struct walk walk = {.w = w, .is_hugetlb = is_hugetlb, .take = take, .context = context};
	const struct pagemap_region whole = {.start = start, .end = end};
	int r = w->cannot_scan ? -ENOTTY
	                       : pagemap_scan_all(w->fd, &wanted, start, end, walk_regions, &walk);

	if (r != -ENOTTY)
		return r;
	w->cannot_scan = true;
	return walk_region(&walk, &whole);
}
