/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "tests/herd/layout.h"

#include "tests/herd/tape.h"

/*
 * An address range with no other mappings: above the sanitizers' memory, below position-independent
 * programs and the stack.
 */
#define PARTS_BEGIN UINT64_C(0x200000000000)
/*
 * Gap between two parts, so that neighbours never merge into one mapping and no huge page spans
 * two.
 */
#define PART_GAP (UINT64_C(1) << 21)

/* The kernel sums bytes as fixed-point numbers with 12 fractional bits, and shows whole KiB. */
enum { PSS_SHIFT = 12, KIB_SHIFT = 10 };

static uint64_t pages_of_kib(uint64_t kib)
{
	return kib * 1024 / TAPE_PAGE_SIZE;
}

static uintptr_t align_up(uintptr_t address, uintptr_t to)
{
	return (address + to - 1) / to * to;
}

static uintptr_t place(struct herd_part *part, uintptr_t at, uint64_t pages, uint64_t room)
{
	*part = (struct herd_part){.begin = at, .pages = pages};
	return align_up(at + room * TAPE_PAGE_SIZE, PART_GAP) + PART_GAP;
}

void layout_init(struct herd_layout *layout, const struct herd_options *options,
	uintptr_t argv_begin, uintptr_t argv_end)
{
	uint64_t pages = pages_of_kib(options->private_kib);
	uintptr_t at = PARTS_BEGIN;

	at = place(&layout->tape, at, 1, 1);
	/* Each mapping of the private part may hold one page more than its share, and has a gap. */
	at = place(&layout->private_part, at, pages, pages + 2 * options->vmas);
	pages = pages_of_kib(options->cow_kib);
	at = place(&layout->cow, at, pages, pages);
	pages = pages_of_kib(options->file_kib);
	at = place(&layout->file, at, pages, pages);
	pages = pages_of_kib(options->memfd_kib);
	at = place(&layout->memfd, at, pages, pages);
	pages = options->active ? pages_of_kib(options->work_kib) : 0;
	layout->end = place(&layout->work, at, pages, pages);

	layout->argv.begin = argv_begin / TAPE_PAGE_SIZE * TAPE_PAGE_SIZE;
	layout->argv.pages = (align_up(argv_end, TAPE_PAGE_SIZE) - layout->argv.begin) /
	                     TAPE_PAGE_SIZE;
}

struct herd_part layout_private(
	const struct herd_layout *layout, const struct herd_options *options, uint64_t v)
{
	uint64_t each = layout->private_part.pages / options->vmas;
	/* mappings with one page more */
	uint64_t longer = layout->private_part.pages % options->vmas;
	uint64_t before = v * (each + 2);

	return (struct herd_part){
		.begin = layout->private_part.begin + before * TAPE_PAGE_SIZE,
		.pages = each + (v < longer ? 1 : 0),
	};
}

uint64_t layout_groups(const struct herd_options *options)
{
	return (options->members + options->group - 1) / options->group;
}

uint64_t layout_group_size(const struct herd_options *options, uint64_t group)
{
	uint64_t left = options->members - group * options->group;

	return left < options->group ? left : options->group;
}

bool layout_is_active(const struct herd_options *options, uint64_t i)
{
	return (i + 1) * options->active / options->members !=
	       i * options->active / options->members;
}

bool layout_group_is_active(const struct herd_options *options, uint64_t group)
{
	uint64_t first = group * options->group;
	uint64_t end = first + layout_group_size(options, group);

	return end * options->active / options->members !=
	       first * options->active / options->members;
}

struct sum {
	uint64_t pages, lone_pages;
	uint64_t pss_fixed;
};

/* Adds PAGES pages that MAPPERS page tables map. The kernel rounds the share of each page down. */
static void sum_add(struct sum *sum, uint64_t pages, uint64_t mappers)
{
	sum->pages += pages;
	sum->pss_fixed += pages * ((TAPE_PAGE_SIZE << PSS_SHIFT) / mappers);
	if (mappers == 1)
		sum->lone_pages += pages;
}

struct herd_truth layout_truth(
	const struct herd_layout *layout, const struct herd_options *options, uint64_t group)
{
	uint64_t sharers = layout_group_size(options, group);
	struct sum sum = {0};

	sum_add(&sum, layout->tape.pages + layout->private_part.pages + layout->argv.pages, 1);
	sum_add(&sum, layout->cow.pages + layout->memfd.pages, sharers);
	sum_add(&sum, layout->file.pages, options->members);
	return (struct herd_truth){
		.rss_kib = sum.pages * TAPE_PAGE_SIZE >> KIB_SHIFT,
		.pss_kib = sum.pss_fixed >> (PSS_SHIFT + KIB_SHIFT),
		.uss_kib = sum.lone_pages * TAPE_PAGE_SIZE >> KIB_SHIFT,
		.pss_unrounded_bytes = sum.pss_fixed >> PSS_SHIFT,
	};
}
