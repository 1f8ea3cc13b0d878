/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "inspect/pages/pagesum.h"

#include "inspect/pages/kpage.h"

static bool is_by_frames(enum pagesum_field field)
{
	return field == PAGESUM_DIRTY || field == PAGESUM_LARGE || field == PAGESUM_KSM ||
	       field == PAGESUM_DEVICE || field >= PAGESUM_MAPPED_FIRST;
}

uint64_t pagesum_known(bool has_frames, bool can_scan)
{
	uint64_t known = 0;

	for (unsigned int i = 0; i < PAGESUM_FIELDS; i++)
		if (has_frames || !is_by_frames((enum pagesum_field)i))
			known |= UINT64_C(1) << i;
	if (!can_scan)
		known &= ~(UINT64_C(1) << PAGESUM_HUGE);
	if (!can_scan && !has_frames)
		known &= ~(UINT64_C(1) << PAGESUM_ZERO);
	return known;
}

/* Returns the histogram field, by the number of bits of MAPPINGS - 1. */
static enum pagesum_field field_of(uint64_t mappings)
{
	unsigned int bits = mappings > 1 ? 64U - (unsigned int)__builtin_clzll(mappings - 1) : 0;
	unsigned int last = PAGESUM_MAPPED_LAST - PAGESUM_MAPPED_FIRST;

	return (enum pagesum_field)(PAGESUM_MAPPED_FIRST + (bits < last ? bits : last));
}

void pagesum_times(enum pagesum_field field, uint64_t *ret_from, uint64_t *ret_to)
{
	unsigned int bits = field - PAGESUM_MAPPED_FIRST;

	*ret_from = bits ? (UINT64_C(1) << (bits - 1)) + 1 : 1;
	*ret_to = field == PAGESUM_MAPPED_LAST ? UINT64_MAX : UINT64_C(1) << bits;
}

static void add_resident(struct pagesum *s, const struct page *p, uint64_t bytes, bool of_file)
{
	bool is_dirty;

	s->q[PAGESUM_RSS] += bytes;
	s->q[p->is_file ? PAGESUM_FILE : PAGESUM_ANON] += bytes;
	s->q[p->is_exclusive ? PAGESUM_PRIVATE : PAGESUM_SHARED] += bytes;
	if (of_file && !p->is_file)
		s->q[PAGESUM_WRITTEN] += bytes;
	if (page_is_dirty(p, &is_dirty) && is_dirty)
		s->q[PAGESUM_DIRTY] += bytes;
	if (p->is_huge)
		s->q[PAGESUM_HUGE] += bytes;
	if (!p->knows_frame)
		return;
	if (p->flags & KPAGE_THP)
		s->q[PAGESUM_LARGE] += bytes;
	if (p->flags & KPAGE_KSM)
		s->q[PAGESUM_KSM] += bytes;
	s->q[field_of(p->mappings)] += bytes;
}

void pagesum_add(struct pagesum *s, const struct page *page, uint64_t page_size, bool of_file)
{
	switch (page->state) {
	case PAGE_RESIDENT: add_resident(s, page, page_size, of_file); break;
	case PAGE_ZERO: s->q[PAGESUM_ZERO] += page_size; break;
	case PAGE_DEVICE: s->q[PAGESUM_DEVICE] += page_size; break;
	case PAGE_SWAPPED: s->q[PAGESUM_SWAPPED] += page_size; break;
	case PAGE_HUGETLB: s->q[PAGESUM_HUGETLB] += page_size; break;
	default: break;
	}
}

void pagesum_add_sum(struct pagesum *s, const struct pagesum *other)
{
	for (unsigned int i = 0; i < PAGESUM_FIELDS; i++)
		s->q[i] += other->q[i];
}
