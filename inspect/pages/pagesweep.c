/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "inspect/pages/pagesweep.h"

#include <errno.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/clock.h"
#include "inspect/maps/mapping.h"
#include "inspect/pages/pagemap.h"

#define SLICE_NS (1 * NS_PER_MSEC)
#define PAUSE_NS (1 * NS_PER_MSEC)

#define GIB (UINT64_C(1) << 30)

enum {
	SCANNED_PAGES = 8192, /* that one call may find */
	READ_CHUNKS = 16,     /* PAGESWEEP_ENTRIES per read, if it is not known which pages exist */
};

/* A gap between two mappings up to this many bytes is scanned with them. */
#define GAP_MAX (4 * GIB)
/* Above are kernel addresses: a mapping there has no pages of the process. */
#define USERS_END (UINT64_C(1) << 63)

struct range {
	uint64_t start, end;
};

/* The address space that is being read. */
struct space {
	struct pagesweep *walk;
	int pagemap_fd;
	uint64_t page_bytes;
	struct buffer ranges; /* of struct range, by rising address */
};

static void cleanup_space(struct space *s)
{
	buffer_done(&s->ranges);
}

/* Whether M is known to have no pages. */
static bool is_unused(const struct mapping *m)
{
	return mapping_has(m, MAPPING_RSS) && mapping_has(m, MAPPING_SWAP) &&
	       !(m->q[MAPPING_RSS] | m->q[MAPPING_SWAP] | m->q[MAPPING_PRIVATE_HUGETLB] |
		       m->q[MAPPING_SHARED_HUGETLB]);
}

static int pagesweep_add_range(const struct mapping *m, void *context)
{
	struct space *s = context;
	struct range range = {m->start, m->end}, *last;
	int r = s->walk->see ? s->walk->see(m, s->walk->context) : 0;

	if (r != 0)
		return r;
	if (m->end > USERS_END || m->start >= m->end || is_unused(m))
		return 0;
	if (s->ranges.len) {
		last = (struct range *)(void *)(s->ranges.data + s->ranges.len) - 1;
		/* The address space changed during the reading. */
		if (m->start < last->end)
			return 0;
		if (m->start - last->end <= (s->walk->cannot_scan ? 0 : GAP_MAX)) {
			last->end = m->end;
			return 0;
		}
	}
	buffer_add(&s->ranges, &range, sizeof(range));
	return s->ranges.error;
}

/* Pauses after a slice of calls, so that others get the lock. */
static void pagesweep_pace(struct pagesweep *w)
{
	const struct timespec pause = {.tv_nsec = PAUSE_NS};
	uint64_t now_ns = clock_now_ns(CLOCK_MONOTONIC);

	if (now_ns - w->slice_ns < SLICE_NS)
		return;
	if (w->slice_ns)
		nanosleep(&pause, NULL);
	w->slice_ns = clock_now_ns(CLOCK_MONOTONIC);
}

/* Reads the pages from START to END, at most PAGESWEEP_ENTRIES. */
static int read_pages(struct space *s, uint64_t start, uint64_t end)
{
	uint64_t entry[PAGESWEEP_ENTRIES];
	size_t count = 0;
	int r = pagemap_read(s->pagemap_fd, start, entry, (end - start) / s->page_bytes, &count);

	pagesweep_pace(s->walk);
	if (r < 0 || !count)
		return r;
	return s->walk->take(start, entry, count, s->walk->context);
}

/* Reads regions together if they fit in one read. */
static int take_regions(struct space *s, const struct pagemap_region *region, size_t count)
{
	uint64_t most = PAGESWEEP_ENTRIES * s->page_bytes;
	int r = 0;

	for (size_t i = 0, next; r == 0 && i < count; i = next) {
		uint64_t at = region[i].start, end = region[i].end;

		for (next = i + 1; next < count && region[next].end - at <= most; next++)
			end = region[next].end;
		for (; r == 0 && at < end; at += most)
			r = read_pages(s, at, end - at < most ? end : at + most);
	}
	return r;
}

static bool is_wanted(const struct pagesweep *w, uint64_t categories)
{
	return !(categories & PAGEMAP_IS_ZERO) &&
	       (!w->swapped_alone || categories & PAGEMAP_IS_SWAPPED);
}

/* Moves the wanted regions to the front. Returns their number. */
static size_t pagesweep_choose(
	const struct pagesweep *w, struct pagemap_region *region, size_t count)
{
	size_t kept = 0;

	for (size_t i = 0; i < count; i++)
		if (is_wanted(w, region[i].categories))
			region[kept++] = region[i];
	return kept;
}

static int take_scanned(struct pagemap_region *region, size_t count, void *context)
{
	struct space *s = context;

	pagesweep_pace(s->walk);
	return take_regions(s, region, pagesweep_choose(s->walk, region, count));
}

/*
 * Returns 0; -ENOTTY if the kernel has no PAGEMAP_SCAN; another negative errno; or a result of
 * .take.
 */
static int scan_range(struct space *s, const struct range *range)
{
	/*
	 * Matches all resident and swapped pages, wanted or not: the kernel would hold its lock as
	 * long as it found no matching page.
	 */
	const struct pagemap_wanted wanted = {
		.any_of = PAGEMAP_IS_PRESENT | PAGEMAP_IS_SWAPPED,
		.told = PAGEMAP_IS_PRESENT | PAGEMAP_IS_SWAPPED | PAGEMAP_IS_ZERO,
		.pages_max = SCANNED_PAGES,
	};

	return pagemap_scan_all(s->pagemap_fd, &wanted, range->start, range->end, take_scanned, s);
}

static bool is_empty(const uint64_t *entry, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (entry[i] & (PAGEMAP_PRESENT | PAGEMAP_SWAPPED))
			return false;
	return true;
}

/* Reads all entries, if the kernel cannot tell which pages exist. */
static int pagesweep_read_range(struct space *s, const struct range *range)
{
	uint64_t entry[READ_CHUNKS * PAGESWEEP_ENTRIES];
	uint64_t at = range->start;

	while (at < range->end) {
		size_t wanted = (range->end - at) / s->page_bytes, count = 0, n;
		int r = pagemap_read(s->pagemap_fd, at, entry,
			wanted < READ_CHUNKS * PAGESWEEP_ENTRIES ? wanted
								 : READ_CHUNKS * PAGESWEEP_ENTRIES,
			&count);

		pagesweep_pace(s->walk);
		if (r < 0 || !count)
			return r;
		for (size_t i = 0; i < count; i += n, at += n * s->page_bytes) {
			n = count - i < PAGESWEEP_ENTRIES ? count - i : PAGESWEEP_ENTRIES;
			if (is_empty(entry + i, n))
				continue;
			r = s->walk->take(at, entry + i, n, s->walk->context);
			if (r != 0)
				return r;
		}
	}
	return 0;
}

static int walk_range(struct space *s, const struct range *range)
{
	int r = s->walk->cannot_scan ? -ENOTTY : scan_range(s, range);

	if (r != -ENOTTY)
		return r;
	s->walk->cannot_scan = true;
	return pagesweep_read_range(s, range);
}

int pagesweep_read(struct pagesweep *w, int maps_fd, int pagemap_fd)
{
	CLEANUP(cleanup_space)
	struct space s = {
		.walk = w,
		.pagemap_fd = pagemap_fd,
		.page_bytes = (uint64_t)sysconf(_SC_PAGESIZE),
	};
	int r = mapping_read(maps_fd, pagesweep_add_range, &s);
	const struct range *range = (const struct range *)(const void *)s.ranges.data;

	w->slice_ns = clock_now_ns(CLOCK_MONOTONIC);
	if (pagemap_fd < 0)
		return r;
	for (size_t i = 0; r == 0 && i < s.ranges.len / sizeof(*range); i++)
		r = walk_range(&s, &range[i]);
	return r;
}
