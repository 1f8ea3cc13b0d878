/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Page Bitmap
 *
 * Records pages of files and counts each page once, whichever process showed it. One bit per page,
 * in chunks of 512 pages (2 MiB with pages of 4 KiB). Only chunks with a page take memory: 96 bytes
 * each, 48 KiB for each GiB that is resident. Pure.
 */
#ifndef MEMTALLY_INSPECT_PAGES_PAGE_BITMAP_H
#define MEMTALLY_INSPECT_PAGES_PAGE_BITMAP_H

#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "base/hashmap.h"

enum { PAGE_BITMAP_WORDS = 8, PAGE_BITMAP_CHUNK = 64 * PAGE_BITMAP_WORDS };

struct page_bitmap_chunk {
	uint64_t number; /* page number / PAGE_BITMAP_CHUNK */
	uint32_t file;
	uint64_t bit[PAGE_BITMAP_WORDS];
};

struct page_bitmap {
	size_t max;                      /* limit of chunks; the owner sets this and .seed */
	uint64_t seed;                   /* for hashing */
	struct page_bitmap_chunk *chunk; /* owned */
	size_t chunks, room;
	struct hashmap index; /* of .chunk */
	uint64_t *pages;      /* owned; by file: recorded pages */
	size_t files;
};

/*
 * Limit for 2 TiB of files that are resident in whole chunks. The chunks then take 80 to 160 MiB,
 * and their index 16 MiB.
 */
#define PAGE_BITMAP_MAX (1 << 20)

/* Frees what C owns, and empties it; .max and .seed stay. */
void page_bitmap_done(struct page_bitmap *c);
#define AUTO_PAGE_BITMAP CLEANUP(page_bitmap_done)

/*
 * Records COUNT pages of FILE from page FIRST on. FILE is a small number: memory is taken for all
 * files up to it. Returns 0; -ENOMEM; or -ENOSPC: .max is reached, and the pages from the first one
 * without room on are not recorded.
 */
int page_bitmap_add(struct page_bitmap *c, uint32_t file, uint64_t first, uint64_t count);

/* Returns the number of recorded pages of FILE. */
uint64_t page_bitmap_pages(const struct page_bitmap *c, uint32_t file);

#endif
