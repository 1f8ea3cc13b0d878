/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "inspect/frames/frame-owners.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { FRACTION_BITS = 32 };

void frame_owners_done(struct frame_owners *s)
{
	free(s->group);
	free(s->pages);
	free(s->pss);
	*s = (struct frame_owners){0};
}

int frame_owners_init(
	struct frame_owners *s, const struct owner_sets *sets, uint32_t groups, uint64_t page_bytes)
{
	size_t count = sets->count > OWNER_SETS_FIRST ? sets->count : OWNER_SETS_FIRST;

	*s = (struct frame_owners){.sets = sets, .groups = groups, .page_bytes = page_bytes};
	s->group = calloc((size_t)groups + 1, sizeof(*s->group));
	s->pages = calloc(count, sizeof(*s->pages));
	s->pss = calloc((size_t)groups + 1, sizeof(*s->pss));
	if (s->group && s->pages && s->pss)
		return 0;
	frame_owners_done(s);
	return -ENOMEM;
}

/* Returns BYTES * PART / WHOLE, in 2^-32 bytes. */
static unsigned __int128 frame_owners_part_of(uint64_t bytes, uint64_t part, uint64_t whole)
{
	return ((unsigned __int128)bytes << FRACTION_BITS) * part / whole;
}

/*
 * Adds a page with more mappings than were found. These are not summed by set, because the count
 * differs from page to page.
 */
static void frame_owners_add_shared(
	struct frame_owners *s, uint32_t number, enum frame_owner_kind kind, uint64_t mapped)
{
	uint64_t seen = s->sets->set[number].seen;

	s->pages[number].shared[kind]++;
	if (kind >= FRAME_OWNER_RSS_KINDS)
		return;
	s->pss[s->groups] += frame_owners_part_of(s->page_bytes, mapped - seen, mapped);
	for (; number; number = s->sets->set[number].before) {
		const struct owner_set *set = &s->sets->set[number];

		s->pss[set->group] += frame_owners_part_of(s->page_bytes, set->count, mapped);
	}
}

void frame_owners_add(
	struct frame_owners *s, uint32_t set, enum frame_owner_kind kind, uint64_t mapped)
{
	uint64_t seen;

	if (set == OWNER_SETS_NOBODY)
		return;
	if (!mapped) {
		s->gone += s->page_bytes;
		return;
	}
	if (set == OWNER_SETS_MANY) {
		s->many += s->page_bytes;
		s->all.resident[kind] += s->page_bytes;
		return;
	}
	seen = s->sets->set[set].seen;
	if (mapped < seen)
		s->changed += s->page_bytes;
	if (mapped > seen && mapped != UINT64_MAX)
		frame_owners_add_shared(s, set, kind, mapped);
	else
		s->pages[set].known[kind]++;
}

void frame_owners_add_unmapped(struct frame_owners *s, uint32_t group, uint64_t bytes)
{
	s->group[group].unmapped += bytes;
}

static void end_group(struct frame_owners *s, const struct owner_set *set,
	const struct frame_owners_pages *pages, uint32_t seen, bool is_only)
{
	struct frame_owner *to = &s->group[set->group];

	for (unsigned int kind = 0; kind < FRAME_OWNER_KINDS; kind++) {
		uint64_t known = pages->known[kind] * s->page_bytes;
		uint64_t all = known + pages->shared[kind] * s->page_bytes;

		to->resident[kind] += all;
		if (is_only)
			to->unique[kind] += known;
		if (kind >= FRAME_OWNER_RSS_KINDS)
			continue;
		to->rss += all * set->count;
		s->pss[set->group] += frame_owners_part_of(known, set->count, seen);
	}
}

/* Returns the sum of AMOUNTS over the kinds in RSS. */
static uint64_t sum_of_rss(const uint64_t amounts[static FRAME_OWNER_KINDS])
{
	uint64_t sum = 0;

	for (unsigned int kind = 0; kind < FRAME_OWNER_RSS_KINDS; kind++)
		sum += amounts[kind];
	return sum;
}

/*
 * Adds the pages of set NUMBER to the figures of its groups. FAIR: their shares, last that of the
 * others, in 2^-32 bytes.
 */
static void end_set(struct frame_owners *s, uint32_t number, unsigned __int128 *fair)
{
	const struct frame_owners_pages *pages = &s->pages[number];
	uint64_t known = sum_of_rss(pages->known) * s->page_bytes;
	uint64_t shared = sum_of_rss(pages->shared) * s->page_bytes;
	uint32_t groups = owner_sets_groups(s->sets, number);
	uint32_t seen = s->sets->set[number].seen;

	fair[s->groups] += frame_owners_part_of(shared, 1, groups + 1);
	for (unsigned int kind = 0; kind < FRAME_OWNER_KINDS; kind++) {
		s->all.resident[kind] += (pages->known[kind] + pages->shared[kind]) * s->page_bytes;
		s->others.resident[kind] += pages->shared[kind] * s->page_bytes;
	}
	for (; number; number = s->sets->set[number].before) {
		const struct owner_set *set = &s->sets->set[number];

		end_group(s, set, pages, seen, groups == 1);
		fair[set->group] += frame_owners_part_of(known, 1, groups) +
		                    frame_owners_part_of(shared, 1, groups + 1);
	}
}

static bool has_pages(const struct frame_owners_pages *pages)
{
	for (unsigned int kind = 0; kind < FRAME_OWNER_KINDS; kind++)
		if (pages->known[kind] || pages->shared[kind])
			return true;
	return false;
}

struct rest {
	uint32_t fraction;
	uint32_t at;
};

static int frame_owners_compare(const void *a, const void *b)
{
	const struct rest *x = a, *y = b;

	if (x->fraction != y->fraction)
		return x->fraction > y->fraction ? -1 : 1;
	return (x->at > y->at) - (x->at < y->at);
}

/*
 * Rounds the COUNT shares in FAIR to whole bytes that add up to TOTAL: rounds each down, and then
 * gives one more byte to those with the largest fractions.
 */
static int frame_owners_divide(
	const unsigned __int128 *fair, size_t count, uint64_t total, uint64_t *ret)
{
	AUTO_FREE struct rest *rest = calloc(count, sizeof(*rest));
	uint64_t given = 0;

	if (!rest)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++) {
		ret[i] = (uint64_t)(fair[i] >> FRACTION_BITS);
		given += ret[i];
		rest[i] = (struct rest){(uint32_t)fair[i], (uint32_t)i};
	}
	qsort(rest, count, sizeof(*rest), frame_owners_compare);
	for (size_t i = 0; given < total; given++, i = (i + 1) % count)
		ret[rest[i].at]++;
	return 0;
}

static void frame_owners_end_all(struct frame_owners *s, const uint64_t *fair)
{
	for (uint32_t i = 0; i < s->groups; i++) {
		struct frame_owner *group = &s->group[i];

		group->fair = fair[i];
		group->pss = (uint64_t)(s->pss[i] >> FRACTION_BITS);
		s->all.rss += group->rss;
		s->all.pss += group->pss;
		s->all.unmapped += group->unmapped;
		for (unsigned int kind = 0; kind < FRAME_OWNER_KINDS; kind++)
			s->all.unique[kind] += group->unique[kind];
	}
	s->others.fair = fair[s->groups];
	s->others.pss = (uint64_t)(s->pss[s->groups] >> FRACTION_BITS);
}

int frame_owners_end(struct frame_owners *s)
{
	size_t count = (size_t)s->groups + 1;
	AUTO_FREE unsigned __int128 *exact = calloc(count, sizeof(*exact));
	AUTO_FREE uint64_t *fair = calloc(count, sizeof(*fair));
	uint64_t many = s->many, total;
	int r;

	if (!exact || !fair)
		return -ENOMEM;
	/* So far .resident has only pages of OWNER_SETS_MANY. */
	for (unsigned int kind = FRAME_OWNER_RSS_KINDS; kind < FRAME_OWNER_KINDS; kind++)
		many -= s->all.resident[kind];
	for (uint32_t i = OWNER_SETS_FIRST; i < s->sets->count; i++)
		if (has_pages(&s->pages[i]))
			end_set(s, i, exact);
	total = frame_owner_resident(&s->all) - many;
	r = frame_owners_divide(exact, count, total, fair);
	if (r == 0)
		frame_owners_end_all(s, fair);
	return r;
}

uint64_t frame_owner_resident(const struct frame_owner *s)
{
	return sum_of_rss(s->resident);
}

uint64_t frame_owner_unique(const struct frame_owner *s)
{
	return sum_of_rss(s->unique);
}

/*
 * Writes the rows of the groups of set NUMBER to RET, and returns their number. PLACE: by group,
 * its row + 1; 0: none.
 */
static size_t places_of(
	const struct frame_owners *s, uint32_t number, const uint32_t *place, uint32_t *ret)
{
	size_t count = 0;

	for (; number; number = s->sets->set[number].before)
		if (place[s->sets->set[number].group])
			ret[count++] = place[s->sets->set[number].group] - 1;
	return count;
}

int frame_owners_matrix(
	const struct frame_owners *s, const uint32_t *group, size_t count, uint64_t *ret)
{
	AUTO_FREE uint32_t *place = calloc((size_t)s->groups + 1, sizeof(*place));
	AUTO_FREE uint32_t *here = calloc(count + 1, sizeof(*here));

	if (!place || !here)
		return -ENOMEM;
	memset(ret, 0, count * count * sizeof(*ret));
	for (size_t i = 0; i < count; i++)
		place[group[i]] = (uint32_t)i + 1;
	for (uint32_t i = OWNER_SETS_FIRST; i < s->sets->count; i++) {
		const struct frame_owners_pages *pages = &s->pages[i];
		uint64_t bytes = (sum_of_rss(pages->known) + sum_of_rss(pages->shared)) *
		                 s->page_bytes;
		size_t n = bytes ? places_of(s, i, place, here) : 0;

		for (size_t a = 0; a < n; a++)
			for (size_t b = 0; b < n; b++)
				ret[here[a] * count + here[b]] += bytes;
	}
	return 0;
}
