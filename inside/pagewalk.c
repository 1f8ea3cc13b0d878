/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "inside/pagewalk.h"

#include <errno.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "inside/pagemap.h"

enum { REGIONS = 128, ENTRIES = 512 };

/* What one walk goes by. */
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

/* A frame that is none of the host's memory, as a device's, is told nothing of. */
static int look_at_frame(struct frames *frames, struct page_facts *f)
{
	uint64_t frame = pagemap_frame(f->entry);
	int r;

	if (!frames || !frame)
		return 0;
	r = frames_count(frames, frame, &f->mappings);
	if (r == 0)
		r = frames_flags(frames, frame, &f->flags);
	f->has_frame = r == 0 || r == -ENXIO;
	if (r == -ENXIO)
		f->flags = FRAME_NOPAGE;
	return r == -ENXIO ? 0 : r;
}

static int take_entry(
	const struct walk *walk, uint64_t address, uint64_t entry, const struct pagemap_region *of)
{
	struct page_facts f = {
		.entry = entry,
		.has_categories = !walk->w->cannot_scan,
		.categories = of->categories,
		.is_hugetlb = walk->is_hugetlb,
	};
	struct page page;
	int r;

	if (!(entry & (PAGEMAP_PRESENT | PAGEMAP_SWAPPED)))
		return 0;
	r = look_at_frame(walk->w->frames, &f);
	if (r < 0)
		return r;
	page = page_of(address, &f);
	return page.state == PAGE_NONE ? 0 : walk->take(&page, walk->context);
}

static int walk_region(const struct walk *walk, const struct pagemap_region *region)
{
	uint64_t page_size = pagewalk_page_size(), entry[ENTRIES], at = region->start;
	int r = 0;

	while (r == 0 && at < region->end) {
		uint64_t left = (region->end - at + page_size - 1) / page_size;
		size_t count;

		r = pagemap_read(walk->w->fd, at, entry, left < ENTRIES ? left : ENTRIES, &count);
		if (r == 0 && !count)
			return 0;
		for (size_t i = 0; r == 0 && i < count; i++, at += page_size)
			r = take_entry(walk, at, entry[i], region);
	}
	return r;
}

/* 0; -ENOTTY: it can't be scanned, and nothing has been taken. */
static int scan(const struct walk *walk, uint64_t start, uint64_t end)
{
	struct pagemap_region region[REGIONS];
	uint64_t at = start;
	int r = 0;

	while (r == 0 && at < end) {
		uint64_t until = at;
		size_t count;

		r = pagemap_scan(walk->w->fd, at, end, region, REGIONS, &count, &until);
		if (r == -EFAULT) /* [vsyscall]: no user's address */
			return 0;
		for (size_t i = 0; r == 0 && i < count; i++)
			r = walk_region(walk, &region[i]);
		if (r == 0 && until <= at)
			return 0; /* the address space is gone */
		at = until;
	}
	return r;
}

int pagewalk(struct pagewalk *w, uint64_t start, uint64_t end, bool is_hugetlb, pagewalk_taker take,
	void *context)
{
	const struct walk walk = {
		.w = w, .is_hugetlb = is_hugetlb, .take = take, .context = context};
	const struct pagemap_region whole = {.start = start, .end = end};
	int r = w->cannot_scan ? -ENOTTY : scan(&walk, start, end);

	if (w->frames)
		frames_forget(w->frames);
	if (r != -ENOTTY)
		return r;
	w->cannot_scan = true;
	return walk_region(&walk, &whole);
}
