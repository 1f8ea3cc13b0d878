/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The size limit of the file. SQLite reuses free pages; these functions give them back to the file
 * system if there are many.
 */
#include "config.h"

#include "ledger/store/store-private.h"

enum {
	SOME_PAGES = 64,     /* pages given back between two beats */
	SHRINK_PAGES = 1024, /* pages given back with one write, so that no write takes long */

	/*
	 * Pages that stay free for the next writes: a part of the file (1 / FREE_PART), and
	 * SPARE_PAGES.
	 */
	FREE_PART = 4,
	SPARE_PAGES = 512,

	/* Divisor of SHRINK_PAGES for the next try, if the disk has no room for the log. */
	LESS = 4,
};

/* Gives back at most COUNT free pages; a few at a time, since SQLite does not report progress. */
static int give_back(struct store *s, uint64_t count)
{
	int r = 0;

	for (uint64_t n; r == 0 && count; count -= n) {
		n = count < SOME_PAGES ? count : SOME_PAGES;
		r = database_run(s, "PRAGMA incremental_vacuum(%llu)", (unsigned long long)n);
		database_beat(s);
	}
	return r;
}

int size_limit_check(struct store *s)
{
	uint64_t want = s->pages_before < s->pages_max ? s->pages_before : s->pages_max;
	uint64_t pages, free_pages;
	int r = database_pages(s, &pages, &free_pages);

	if (r == 0 && pages > want && free_pages) {
		r = give_back(s, pages - want);
		if (r == 0)
			r = database_pages(s, &pages, &free_pages);
	}
	return r == 0 && pages > s->pages_max ? DATABASE_TOO_LARGE : r;
}

int size_limit_begin(struct store *s)
{
	uint64_t free_pages;

	return database_pages(s, &s->pages_before, &free_pages);
}

int size_limit_allow(struct store *s)
{
	uint64_t pages, free_pages;
	int r = size_limit_check(s);

	if (r != DATABASE_TOO_LARGE)
		return r;
	r = database_pages(s, &pages, &free_pages);
	if (r == 0)
		s->pages_max = pages;
	return r;
}

static int give_back_some(struct store *s)
{
	uint64_t count = SHRINK_PAGES;
	int r = give_back(s, count);

	while (r != 0 && database_lacks_room(s) && (count /= LESS))
		r = give_back(s, count);
	return r;
}

int size_limit_shrink(struct store *s)
{
	uint64_t room = database_room(s) / s->page_bytes, pages, free_pages;
	int r = database_pages(s, &pages, &free_pages);

	if (r == 0 && (pages > room || free_pages > pages / FREE_PART + SPARE_PAGES)) {
		r = give_back_some(s);
		if (r != STORE_DAMAGED)
			r = database_pages(s, &pages, &free_pages);
	}
	if (r != 0)
		return r == STORE_DAMAGED ? r : 0;
	if (pages + SPARE_PAGES < s->pages_max)
		s->pages_max = pages + SPARE_PAGES > room ? pages + SPARE_PAGES : room;
	return 0;
}
