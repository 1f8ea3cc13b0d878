/* SPDX-License-Identifier: Apache-2.0 */
/*
 * smaps and pagemap are opened before the process is confirmed to run the same image. Both then
 * show the address space that it has, whatever it executes later (proc_mem_open() in
 * fs/proc/base.c). Mappings may change between the two, as in any reading of a running process.
 */
#include "config.h"

#include "inspect/files/inventory.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/os/kcmp.h"
#include "base/siphash.h"
#include "inspect/files/file-state.h"
#include "inspect/maps/mapping.h"
#include "inspect/pages/filepages.h"

void inventory_init(struct inventory *s, bool live)
{
	uint64_t seed = siphash_new_key().half[0];

	*s = (struct inventory){
		.files = {.max = FILE_TABLE_LIMITS, .seed = seed},
		.bitmap = {.max = PAGE_BITMAP_MAX, .seed = seed},
		.spaces.compare = live ? kcmp_memory : NULL,
		.page_size = (uint64_t)sysconf(_SC_PAGESIZE),
	};
}

void inventory_done(struct inventory *s)
{
	file_table_done(&s->files);
	page_bitmap_done(&s->bitmap);
	mm_set_done(&s->spaces);
	buffer_done(&s->span);
	buffer_done(&s->partial);
}

/* Returns the resident bytes of M that are pages of the file, not private copies. */
static uint64_t own_bytes(const struct mapping *m)
{
	uint64_t rss = m->q[MAPPING_RSS], copies = m->q[MAPPING_ANONYMOUS];
	uint64_t huge = m->q[MAPPING_SHARED_HUGETLB] + m->q[MAPPING_PRIVATE_HUGETLB];

	return (rss > copies ? rss - copies : 0) + huge;
}

static int inventory_take(const struct mapping *m, void *context)
{
	struct inventory *s = context;
	struct inventory_span span = {
		.start = m->start,
		.end = m->end,
		.first = m->offset / s->page_size,
		.wanted = own_bytes(m) / s->page_size,
	};
	int r = file_table_add(&s->files, m, &span.row);

	if (r == 0 && span.wanted)
		buffer_add(&s->span, &span, sizeof(span));
	return r < 0 ? r : s->span.error;
}

/* Adds the mappings of T to .files, completely or not. */
static int inventory_read_mappings(struct inventory *s, struct target *t, int *ret_pagemap)
{
	/* Without it the sums of smaps are still useful. */
	(void)target_file(t, "pagemap", ret_pagemap);
	return target_walk(t, inventory_take, s);
}

struct scanning {
	struct inventory *inventory;
	const struct inventory_span *span;
};

static int inventory_take_pages(uint64_t address, uint64_t pages, void *context)
{
	const struct scanning *scanning = context;
	const struct inventory_span *span = scanning->span;
	uint64_t page_size = scanning->inventory->page_size;

	return page_bitmap_add(&scanning->inventory->bitmap, span->row,
		span->first + (address - span->start) / page_size, pages);
}

/* PAGEMAP: -1 if it may not be read. */
static int scan_span(struct inventory *s, const struct inventory_span *span, int pagemap)
{
	struct scanning scanning = {.inventory = s, .span = span};
	struct filepages pages = {
		.fd = pagemap,
		.page_size = s->page_size,
		.take = inventory_take_pages,
		.context = &scanning,
		.has_no_scan = s->has_no_scan,
	};
	uint64_t all = (span->end - span->start) / s->page_size;
	int r;

	/* All pages are resident: no need to look which. */
	if (span->wanted >= all)
		return inventory_take_pages(span->start, all, &scanning);
	if (pagemap < 0)
		return FILEPAGES_GONE;
	r = filepages_read(&pages, span->start, span->end, span->wanted);
	s->has_no_scan = pages.has_no_scan;
	return r;
}

/*
 * Reads the pages of all spans. A file with pages that cannot be read becomes partial. Returns 0 or
 * -ENOMEM.
 */
static int inventory_scan_all(struct inventory *s, int pagemap)
{
	const struct inventory_span *span = (const void *)s->span.data;
	size_t count = s->span.len / sizeof(*span);

	if (s->files.rows > s->partial.len)
		buffer_add_zero(&s->partial, s->files.rows - s->partial.len);
	if (s->partial.error)
		return s->partial.error;
	for (size_t i = 0; i < count; i++) {
		int r = scan_span(s, &span[i], pagemap);

		if (r == -ENOMEM)
			return r;
		if (r != 0)
			s->partial.data[span[i].row] = 1;
	}
	return 0;
}

/* Whether the state of the file was not looked up yet, or could not be. */
static bool may_change(const struct file_table_row *row)
{
	return row->fate == FILE_TABLE_UNCERTAIN || row->fate == FILE_TABLE_UNLINKED;
}

/* Looks up the state of the files of T that the kernel calls deleted, as far as T shows it. */
static int inventory_settle(struct inventory *s, struct target *t)
{
	AUTO_FILE_STATE struct file_state where = {.root = -1};
	bool is_open = false;
	int r = 0;

	for (size_t i = 0; r == 0 && i < s->files.parts; i++) {
		uint32_t number = s->files.part[i].row;
		bool is_literal;
		enum file_table_fate fate;

		if (number == FILE_TABLE_REST || !may_change(&s->files.row[number]))
			continue;
		if (!s->spaces.compare)
			return 0;
		/* Without it all paths are unknown. */
		if (!is_open)
			(void)file_state_open(t, &where);
		is_open = true;
		fate = file_state_find(&where, &s->files.row[number], &is_literal);
		r = file_table_settle(&s->files, number, fate, is_literal);
	}
	return r;
}

void inventory_drop(struct inventory *s)
{
	const struct inventory_span *span = (const void *)s->span.data;

	if (!s->is_committed)
		file_table_begin(&s->files);
	else if (s->files.rows > s->partial.len)
		buffer_add_zero(&s->partial, s->files.rows - s->partial.len);
	if (!s->is_committed || s->partial.error)
		return;
	for (size_t i = 0; i < s->span.len / sizeof(*span); i++)
		s->partial.data[span[i].row] = 1;
}

int inventory_read(struct inventory *s, struct target *t)
{
	AUTO_CLOSE int pagemap = -1;
	int r;

	file_table_begin(&s->files);
	s->is_committed = false;
	buffer_clear(&s->span);
	r = inventory_read_mappings(s, t, &pagemap);
	if (r == 0 && (r = mm_set_add(&s->spaces, t->process.pid, &t->process.stat)) > 0)
		r = INVENTORY_KNOWN;
	if (r != 0) {
		file_table_begin(&s->files);
		return r;
	}
	r = file_table_commit(&s->files, t->sample.uid);
	s->is_committed = true;
	if (r == 0)
		r = inventory_scan_all(s, pagemap);
	return r == 0 ? inventory_settle(s, t) : r;
}

void inventory_finish(struct inventory *s)
{
	for (uint32_t i = 0; i < s->files.rows; i++) {
		uint64_t pages = page_bitmap_pages(&s->bitmap, i);
		bool is_whole = i < s->partial.len && !s->partial.data[i];

		if (pages || is_whole)
			file_table_set_resident(&s->files, i, pages * s->page_size, is_whole);
	}
}
