/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PAGEMAP_SCAN holds the lock of the address space during one call (do_pagemap_scan() in
 * fs/proc/task_mmu.c, Linux 6.7). A call ends when the given number of matching pages has been
 * found. So each call matches all resident and swapped pages, not only those of files.
 */
#include "config.h"

#include "inspect/pages/filepages.h"

#include <errno.h>
#include <stddef.h>

#include "inspect/pages/pagemap.h"

enum {
	SCAN_PAGES = 1 << 14,
	ENTRIES = 2048,
	/*
	 * Limits of entries to read without PAGEMAP_SCAN: always 16 GiB of small pages; above that,
	 * 64 for each wanted page.
	 */
	FREE_ENTRIES = 1 << 22,
	ENTRIES_EACH = 64,
};

/* Progress in one mapping. */
struct found {
	const struct filepages *f;
	uint64_t wanted, pages;
};

static int filepages_take(struct found *found, uint64_t start, uint64_t pages)
{
	found->pages += pages;
	return found->f->take(start, pages, found->f->context);
}

/* Returns 1, which ends the scan, when .wanted pages have been found; or a result of .take. */
static int filepages_take_regions(struct pagemap_region *region, size_t count, void *context)
{
	struct found *found = context;
	int r = 0;

	for (size_t i = 0; r == 0 && i < count; i++)
		if (region[i].categories & PAGEMAP_IS_FILE)
			r = filepages_take(found, region[i].start,
				(region[i].end - region[i].start) / found->f->page_size);
	return r == 0 ? found->pages >= found->wanted : r;
}

/*
 * A page under migration has an entry like a swapped one. A file's page is never in swap in this
 * form.
 */
static bool is_file(uint64_t entry)
{
	return entry & PAGEMAP_FILE && entry & (PAGEMAP_PRESENT | PAGEMAP_SWAPPED);
}

static int take_entries(struct found *found, uint64_t start, const uint64_t *entry, size_t count)
{
	int r = 0;

	for (size_t i = 0, n; r == 0 && i < count; i += n) {
		for (n = 0; i + n < count && is_file(entry[i + n]); n++)
			;
		if (n)
			r = filepages_take(found, start + i * found->f->page_size, n);
		else
			n = 1;
	}
	return r;
}

/*
 * Results as of pagemap_read(), or FILEPAGES_GONE, which kernels report in different ways (Linux
 * 6.18: ESRCH).
 */
static int read_some(
	const struct filepages *f, uint64_t start, uint64_t *entry, size_t max, size_t *ret_count)
{
	size_t count = 0;
	int r = pagemap_read(f->fd, start, entry, max, &count);

	if (r == -ESRCH || (r == 0 && !count))
		return FILEPAGES_GONE;
	if (r == 0)
		*ret_count = count;
	return r;
}

static int filepages_read_all(struct found *found, uint64_t start, uint64_t end)
{
	const struct filepages *f = found->f;
	uint64_t entry[ENTRIES], left = (end - start) / f->page_size;

	if (left > FREE_ENTRIES && left / ENTRIES_EACH > found->wanted)
		return FILEPAGES_TOO_LARGE;
	while (left && found->pages < found->wanted) {
		size_t count = 0;
		int r = read_some(f, start, entry, left < ENTRIES ? left : ENTRIES, &count);

		if (r != 0)
			return r;
		r = take_entries(found, start, entry, count);
		if (r != 0)
			return r;
		start += count * f->page_size;
		left -= count;
	}
	return 0;
}

int filepages_read(struct filepages *f, uint64_t start, uint64_t end, uint64_t wanted)
{
	const struct pagemap_wanted scanned = {
		.any_of = PAGEMAP_IS_PRESENT | PAGEMAP_IS_SWAPPED,
		.told = PAGEMAP_IS_FILE,
		.pages_max = SCAN_PAGES,
	};
	struct found found = {.f = f, .wanted = wanted};
	uint64_t entry;
	size_t count;
	int r = f->has_no_scan ? -ENOTTY
	                       : pagemap_scan_all(f->fd, &scanned, start, end,
					 filepages_take_regions, &found);

	f->has_no_scan = r == -ENOTTY;
	if (f->has_no_scan)
		return filepages_read_all(&found, start, end);
	if (r < 0)
		return r == -ESRCH ? FILEPAGES_GONE : r;
	/*
	 * If the address space is gone, the scan finds nothing and reports no error, but a read
	 * does.
	 */
	return read_some(f, start, &entry, 1, &count);
}
