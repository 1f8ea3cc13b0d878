/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of inspect/elf/elf-load.h: where in memory the segments of an ELF file are loaded. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include <time.h>

#include "inspect/elf/elf-load.h"
#include "tests/unit/support/faults/allocation.h"

enum { SIZE = 0x1000 };

#define HEX(x) UINT64_C(0x##x)

/*
 * A library as linkers make it: headers and .rodata, .text, then .data followed by .bss, which
 * ends within the second page after it.
 */
static const struct elffile library = {
	.segments = 3,
	.segment = {{.address = 0, .size = 0x1800, .offset = 0, .file_size = 0x1800},
		{.address = 0x2000,
			.size = 0x2000,
			.offset = 0x2000,
			.file_size = 0x2000,
			.is_executable = true},
		{.address = 0x4e00, .size = 0x2400, .offset = 0x3e00, .file_size = 0x400}},
};

/*
 * A library with headers and text in one segment; the last page of its file range is also the
 * first of .data.
 */
static const struct elffile small = {
	.segments = 2,
	.segment = {{.address = 0,
			    .size = 0xe00,
			    .offset = 0,
			    .file_size = 0xe00,
			    .is_executable = true},
		{.address = 0x1e00, .size = 0x100, .offset = 0xe00, .file_size = 0x100}},
};

static void find(const struct elffile *f, const struct elf_load_area *area, size_t areas,
	struct elf_load_area *bare, size_t bares, struct elf_loads *ret)
{
	assert_int_equal(elf_loads_find(f, SIZE, area, areas, bare, bares, ret), 0);
}

static void check_piece(
	const struct elf_load *l, size_t i, uint64_t start, uint64_t end, bool is_placed)
{
	assert_true(i < l->pieces);
	assert_int_equal(l->piece[i].start, start);
	assert_int_equal(l->piece[i].end, end);
	assert_int_equal(l->piece[i].is_placed, is_placed);
}

static void finds_a_library_and_its_bss(void **state)
{
	const uint64_t at = HEX(7f0000000000);
	const struct elf_load_area area[] = {{at, at + 0x2000, 0, false},
		{at + 0x2000, at + 0x4000, 0x2000, true},
		{at + 0x4000, at + 0x5000, 0x3000, false}};
	/*
	 * Anonymous mappings: one below the library, .bss merged with the mapping behind it, and
	 * one further away.
	 */
	struct elf_load_area bare[] = {{at - 0x9000, at - 0x1000, 0, false},
		{at + 0x5000, at + 0x20000, 0, false}, {at + 0x30000, at + 0x31000, 0, false}};
	AUTO_ELF_LOADS struct elf_loads l = {.count = 0};

	(void)state;
	find(&library, area, 3, bare, 3, &l);
	assert_int_equal(l.count, 1);
	assert_int_equal(l.item[0].bias, at);
	assert_int_equal(l.item[0].pieces, 4);
	check_piece(&l.item[0], 0, at, at + 0x2000, true);
	check_piece(&l.item[0], 2, at + 0x4000, at + 0x5000, true);
	check_piece(&l.item[0], 3, at + 0x5000, at + 0x8000, true);
}

/* As relro and mprotect() split mappings. */
static void accepts_mappings_of_parts_of_segments(void **state)
{
	const uint64_t at = HEX(400000);
	const struct elf_load_area area[] = {{at, at + 0x1000, 0, false},
		{at + 0x1000, at + 0x2000, 0x1000, true}, {at + 0x2000, at + 0x3000, 0x2000, false},
		{at + 0x3000, at + 0x4000, 0x3000, true},
		{at + 0x4000, at + 0x5000, 0x3000, false}};
	AUTO_ELF_LOADS struct elf_loads l = {.count = 0};

	(void)state;
	find(&library, area, 5, NULL, 0, &l);
	assert_int_equal(l.count, 1);
	assert_int_equal(l.item[0].bias, at);
	assert_int_equal(l.item[0].pieces, 5);
	for (size_t i = 0; i < 5; i++)
		assert_true(l.item[0].piece[i].is_placed);
}

static void segments_may_share_a_file_page(void **state)
{
	const uint64_t at = HEX(10000);
	const struct elf_load_area area[] = {
		{at, at + 0x1000, 0, true}, {at + 0x1000, at + 0x2000, 0, false}};
	AUTO_ELF_LOADS struct elf_loads l = {.count = 0};

	(void)state;
	find(&small, area, 2, NULL, 0, &l);
	assert_int_equal(l.count, 1);
	assert_int_equal(l.item[0].bias, at);
	check_piece(&l.item[0], 1, at + 0x1000, at + 0x2000, true);
}

/* If a mapping fits two segments, its execute permission decides. */
static void execute_permission_decides_between_segments(void **state)
{
	const uint64_t at = HEX(10000);
	AUTO_ELF_LOADS struct elf_loads text = {.count = 0};
	AUTO_ELF_LOADS struct elf_loads data = {.count = 0};

	(void)state;
	find(&small, &(const struct elf_load_area){at, at + 0x1000, 0, true}, 1, NULL, 0, &text);
	find(&small, &(const struct elf_load_area){at, at + 0x1000, 0, false}, 1, NULL, 0, &data);
	assert_int_equal(text.item[0].bias, at);
	assert_int_equal(data.item[0].bias, at - 0x1000);
}

static void finds_two_loadings_and_a_plain_mapping(void **state)
{
	const uint64_t a = HEX(100000), b = HEX(200000), flat = HEX(300000);
	const struct elf_load_area area[] = {{a, a + 0x2000, 0, false},
		{a + 0x2000, a + 0x4000, 0x2000, true}, {a + 0x4000, a + 0x5000, 0x3000, false},
		{b, b + 0x2000, 0, false}, {b + 0x2000, b + 0x4000, 0x2000, true},
		{b + 0x4000, b + 0x5000, 0x3000, false}, {flat, flat + 0x5000, 0, false}};
	AUTO_ELF_LOADS struct elf_loads l = {.count = 0};

	(void)state;
	find(&library, area, 7, NULL, 0, &l);
	assert_int_equal(l.count, 3);
	assert_int_equal(l.item[0].bias, a);
	assert_int_equal(l.item[1].bias, b);
	assert_int_equal(l.item[2].pieces, 1);
	check_piece(&l.item[2], 0, flat, flat + 0x5000, false);
}

/* The loader keeps gaps between segments free by mapping the file there without access. */
static void gaps_between_segments_are_not_placed(void **state)
{
	const uint64_t at = HEX(7f0000000000);
	const struct elffile gapped = {
		.segments = 2,
		.segment = {{.size = 0x1000, .file_size = 0x1000, .is_executable = true},
			{.address = 0x200000,
				.size = 0x1000,
				.offset = 0x1000,
				.file_size = 0x1000}},
	};
	const struct elf_load_area area[] = {{at, at + 0x1000, 0, true},
		{at + 0x1000, at + 0x200000, 0x1000, false},
		{at + 0x200000, at + 0x201000, 0x1000, false}};
	AUTO_ELF_LOADS struct elf_loads l = {.count = 0};

	(void)state;
	find(&gapped, area, 3, NULL, 0, &l);
	assert_int_equal(l.count, 1);
	assert_int_equal(l.item[0].pieces, 3);
	check_piece(&l.item[0], 1, at + 0x1000, at + 0x200000, false);
	check_piece(&l.item[0], 2, at + 0x200000, at + 0x201000, true);
}

/* Bytes of the pieces that are not in AREA: anonymous memory. */
static uint64_t bare_bytes_of(
	const struct elf_loads *l, const struct elf_load_area *area, size_t areas)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < l->count; i++)
		for (size_t j = 0; j < l->item[i].pieces; j++)
			bytes += l->item[i].piece[j].end - l->item[i].piece[j].start;
	for (size_t i = 0; i < areas; i++)
		bytes -= area[i].end - area[i].start;
	return bytes;
}

/* A file may claim any size of .bss. Memory counts only if the loader would have made all of it. */
static void takes_only_memory_that_a_loader_would_have_made(void **state)
{
	static struct {
		uint64_t size; /* memory size of the segment; its file page is at 0x10000 */
		struct elf_load_area
			/*
			 * anonymous mappings, ascending; the space between them is unmapped or is
			 * another file's
			 */
			bare[3];
		uint64_t expected;
	} cases[] = {
		{0x5000, {{HEX(11000), HEX(15000), 0, false}}, 0x4000},
		/*
		 * Whatever follows .bss without a gap is merged: the kernel makes one mapping of
		 * both.
		 */
		{0x5000, {{HEX(11000), HEX(40000), 0, false}}, 0x4000},
		{0x5000, {{HEX(11000), HEX(12000), 0, false}, {HEX(12000), HEX(15000), 0, false}},
			0x4000},
		{HEX(100000000000), {{HEX(11000), HEX(40000), 0, false}}, 0},
		{UINT64_MAX - HEX(20000), {{HEX(11000), HEX(40000), 0, false}}, 0},
		/* A gap or another mapping is in between. */
		{0x5000, {{HEX(11000), HEX(12000), 0, false}, {HEX(13000), HEX(15000), 0, false}},
			0},
		{0x5000, {{HEX(12000), HEX(20000), 0, false}}, 0},
		{0x5000, {{HEX(11000), HEX(14000), 0, false}}, 0},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct elffile f = {
			.segments = 1, .segment = {{.size = cases[i].size, .file_size = 0xe00}}};
		const struct elf_load_area area = {HEX(10000), HEX(11000), 0, false};
		AUTO_ELF_LOADS struct elf_loads l = {.count = 0};
		size_t bares = 0;

		while (bares < ARRAY_SIZE(cases[i].bare) && cases[i].bare[bares].end)
			bares++;
		find(&f, &area, 1, cases[i].bare, bares, &l);
		if (bare_bytes_of(&l, &area, 1) != cases[i].expected)
			fail_msg("case %zu: %#llx bytes", i,
				(unsigned long long)bare_bytes_of(&l, &area, 1));
	}
}

/* As tools do that move text to huge pages, which are anonymous. */
static void accepts_anonymous_pages_within_text(void **state)
{
	const uint64_t at = HEX(7f0000000000);
	const struct elffile f = {.segments = 2,
		.segment = {{.size = 0x8000, .file_size = 0x8000, .is_executable = true},
			{.address = 0x9000,
				.offset = 0x8000,
				.size = 0x1000,
				.file_size = 0x1000}}};
	const struct elf_load_area area[] = {{at, at + 0x2000, 0, true},
		{at + 0x6000, at + 0x8000, 0x6000, true},
		{at + 0x9000, at + 0xa000, 0x8000, false}};
	struct elf_load_area bare = {at + 0x2000, at + 0x6000, 0, true};
	AUTO_ELF_LOADS struct elf_loads l = {.count = 0};

	(void)state;
	find(&f, area, 3, &bare, 1, &l);
	assert_int_equal(l.count, 1);
	check_piece(&l.item[0], 1, at + 0x2000, at + 0x6000, true);
}

/* .bss may be a segment of its own with a file size of 0. It must be near the other segments. */
static void segment_without_file_bytes_must_be_near(void **state)
{
	const uint64_t at = HEX(10000000);
	const struct elf_load_area area = {at, at + 0x1000, 0, false};

	(void)state;
	for (unsigned int i = 0; i < 2; i++) {
		uint64_t bss = i ? HEX(40000000) : 0x2000;
		const struct elffile f = {.segments = 2,
			.segment = {{.size = 0x1000, .file_size = 0x1000},
				{.address = bss, .size = 0x3000}}};
		struct elf_load_area bare = {at + bss, at + bss + 0x3000, 0, false};
		AUTO_ELF_LOADS struct elf_loads l = {.count = 0};

		find(&f, &area, 1, &bare, 1, &l);
		assert_int_equal(bare_bytes_of(&l, &area, 1), i ? 0 : 0x3000);
	}
}

/*
 * Two loadings compete for the memory behind both: of one file, where each has a page that the
 * addresses of the other do not reach, and of two files.
 */
static void anonymous_memory_belongs_to_one_loading(void **state)
{
	const struct elffile f = {.segments = 2,
		.segment = {{.size = 0x2000, .file_size = 0x2000, .is_executable = true},
			{.address = 0x3000, .size = 0x4000}}};
	const struct elf_load_area area[] = {
		{HEX(f000), HEX(11000), 0, false}, {HEX(11000), HEX(12000), 0x1000, true}};
	struct elf_load_area bare = {HEX(12000), HEX(17000), 0, false}, again = bare;
	AUTO_ELF_LOADS struct elf_loads both = {.count = 0};
	AUTO_ELF_LOADS struct elf_loads first = {.count = 0};
	AUTO_ELF_LOADS struct elf_loads second = {.count = 0};

	(void)state;
	find(&f, area, 2, &bare, 1, &both);
	assert_int_equal(both.count, 2);
	assert_int_equal(both.item[0].bias, HEX(10000));
	assert_int_equal(both.item[1].bias, HEX(f000));
	assert_int_equal(bare_bytes_of(&both, area, 2), 0x4000);
	assert_true(bare.is_taken);

	find(&f, &area[1], 1, &again, 1, &first);
	find(&f, &area[0], 1, &again, 1, &second);
	assert_int_equal(bare_bytes_of(&first, &area[1], 1), 0x4000);
	assert_int_equal(second.count, 1);
	assert_int_equal(bare_bytes_of(&second, &area[0], 1), 0);
}

static uint64_t bytes_of(const struct elf_loads *l)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < l->count; i++)
		for (size_t j = 0; j < l->item[i].pieces; j++) {
			const struct elf_load_piece *p = &l->item[i].piece[j];

			assert_true(p->start < p->end);
			if (j)
				assert_true(p->start >= p[-1].end);
			bytes += p->end - p->start;
		}
	return bytes;
}

/* Checks that the result is the same with all file offsets moved by FAR. */
static void check_far(const struct elffile *f, const struct elf_load_area *area, size_t areas,
	uint64_t far, const struct elf_loads *near)
{
	AUTO_ELF_LOADS struct elf_loads l = {.count = 0};
	struct elf_load_area there[20];
	struct elffile g = *f;

	for (size_t i = 0; i < g.segments; i++)
		g.segment[i].offset += far;
	for (size_t i = 0; i < areas; i++) {
		there[i] = area[i];
		there[i].offset += far;
	}
	find(&g, there, areas, NULL, 0, &l);
	assert_int_equal(l.count, near->count);
	for (size_t i = 0; i < l.count; i++) {
		assert_int_equal(l.item[i].bias, near->item[i].bias);
		assert_int_equal(l.item[i].pieces, near->item[i].pieces);
		for (size_t j = 0; j < l.item[i].pieces; j++)
			check_piece(&l.item[i], j, near->item[i].piece[j].start,
				near->item[i].piece[j].end, near->item[i].piece[j].is_placed);
	}
}

/*
 * For random files each mapping is in exactly one loading. This also holds near the largest signed
 * and unsigned offsets.
 */
static void keeps_each_mapping_for_random_files(void **state)
{
	uint64_t random = 3;

	(void)state;
	for (unsigned int round = 0; round < unit_rounds(2000); round++) {
		struct elffile f = {.segments = unit_random(&random) % 6};
		struct elf_load_area area[20];
		size_t areas = unit_random(&random) % 20;
		AUTO_ELF_LOADS struct elf_loads l = {.count = 0};
		uint64_t at = HEX(1000000), bytes = 0;

		for (size_t i = 0; i < f.segments; i++) {
			uint64_t shift = unit_random(&random) % 60;

			f.segment[i] = (struct elffile_segment){
				.address = unit_random(&random) >> shift,
				.offset = (unit_random(&random) % 30) * 0x800,
				.file_size = unit_random(&random) % 0x5000,
				.is_executable = unit_random(&random) & 1};
			f.segment[i].size = f.segment[i].file_size + unit_random(&random) % 0x3000;
		}
		for (size_t i = 0; i < areas; i++) {
			uint64_t size = (1 + unit_random(&random) % 4) * SIZE;

			at += unit_random(&random) % 3 * SIZE;
			area[i] = (struct elf_load_area){at, at + size,
				unit_random(&random) % 8 * SIZE, unit_random(&random) & 1};
			at += size;
			bytes += size;
		}
		find(&f, area, areas, NULL, 0, &l);
		assert_int_equal(bytes_of(&l), bytes);
		check_far(&f, area, areas, HEX(7fffffffffffc000), &l);
		check_far(&f, area, areas, HEX(8000000000000000), &l);
		check_far(&f, area, areas, HEX(fffffffffffe0000), &l);
	}
}

/*
 * Each mapping could be of each segment but is larger than all, so no position has to be tried.
 * Limits CPU time.
 */
static void time_is_bounded_if_no_segment_fits(void **state)
{
	static struct elf_load_area area[ELF_LOAD_AREAS_MAX];
	AUTO_ELF_LOADS struct elf_loads l = {.count = 0};
	struct elffile f = {.segments = ELFFILE_SEGMENTS_MAX};
	clock_t began;

	(void)state;
	for (size_t i = 0; i < f.segments; i++)
		f.segment[i] = (struct elffile_segment){
			.address = i << 30, .size = 1 << 20, .file_size = 1 << 20};
	for (size_t i = 0; i < ARRAY_SIZE(area); i++) {
		uint64_t at = HEX(10000000000) + (i << 24);

		area[i] = (struct elf_load_area){at, at + (1 << 21), i % 200 * SIZE, false};
	}
	began = clock();
	find(&f, area, ARRAY_SIZE(area), NULL, 0, &l);
	assert_true((clock() - began) / CLOCKS_PER_SEC < 4);
	assert_int_equal(l.count, 1);
	assert_int_equal(bytes_of(&l), ARRAY_SIZE(area) << 21);
}

/*
 * Half of the mappings fit every segment. One segment is so far away that, wherever these are
 * placed, the other half lies in between and fits none. A mapping that was placed must not be
 * tried again.
 */
static void placed_mappings_are_not_tried_again(void **state)
{
	static struct elf_load_area area[ELF_LOAD_AREAS_MAX];
	const uint64_t far = HEX(10000000000), at = HEX(100000000000);
	AUTO_ELF_LOADS struct elf_loads l = {.count = 0};
	struct elffile f = {.segments = ELFFILE_SEGMENTS_MAX};
	uint64_t bytes = 0;
	clock_t began;

	(void)state;
	for (size_t i = 0; i < f.segments; i++)
		f.segment[i] = (struct elffile_segment){
			.address = i + 1 < f.segments ? i * (2048 + i) * SIZE : far,
			.size = SIZE,
			.file_size = SIZE};
	for (size_t i = 0; i < ARRAY_SIZE(area); i++) {
		bool fits = i < ARRAY_SIZE(area) / 2;
		uint64_t start = fits ? at + (i << 28) : at + far / 2 + (i << 20);

		area[i] = (struct elf_load_area){start, start + (fits ? 1 : 2) * SIZE, 0, false};
		bytes += area[i].end - area[i].start;
	}
	began = clock();
	find(&f, area, ARRAY_SIZE(area), NULL, 0, &l);
	assert_true((clock() - began) / (CLOCKS_PER_SEC / 10) < 10);
	assert_int_equal(bytes_of(&l), bytes);
}

/*
 * Each of many .bss segments could be in anonymous memory that other loadings have taken, of which
 * there is much.
 */
static void time_is_bounded_if_memory_is_taken(void **state)
{
	static struct elf_load_area area[ELF_LOAD_AREAS_MAX], bare[1 << 19];
	AUTO_ELF_LOADS struct elf_loads l = {.count = 0};
	struct elffile f = {
		.segments = ELFFILE_SEGMENTS_MAX, .segment = {{.size = SIZE, .file_size = SIZE}}};
	clock_t began;

	(void)state;
	for (size_t i = 1; i < f.segments; i++)
		f.segment[i] = (struct elffile_segment){.address = 2 * i * SIZE, .size = SIZE};
	for (size_t i = 0; i < ARRAY_SIZE(area); i++)
		area[i] = (struct elf_load_area){(i + 1) << 30, ((i + 1) << 30) + SIZE, 0, false};
	for (size_t i = 0; i < ARRAY_SIZE(bare); i++) {
		uint64_t at = HEX(10000000000) + 2 * i * SIZE;

		bare[i] = (struct elf_load_area){at, at + SIZE, .is_taken = true};
	}
	began = clock();
	find(&f, area, ARRAY_SIZE(area), bare, ARRAY_SIZE(bare), &l);
	assert_true((clock() - began) / CLOCKS_PER_SEC < 4);
	assert_int_equal(l.count, ARRAY_SIZE(area));
	assert_int_equal(bytes_of(&l), ARRAY_SIZE(area) * SIZE);
}

/* Counts byte by byte. */
static uint64_t count_placed(const struct elf_load *l, uint64_t start, uint64_t end)
{
	uint64_t bytes = 0;

	for (uint64_t at = start; at < end; at++)
		for (size_t i = 0; i < l->pieces; i++)
			bytes += l->piece[i].is_placed && at >= l->piece[i].start &&
			         at < l->piece[i].end;
	return bytes;
}

static void sums_placed_bytes_within_a_range(void **state)
{
	uint64_t random = 7;

	(void)state;
	for (unsigned int round = 0; round < unit_rounds(5000); round++) {
		struct elf_load_piece whole[6], piece[6];
		struct elf_load before = {.piece = whole, .pieces = unit_random(&random) % 7};
		struct elf_load l = {.piece = piece, .pieces = before.pieces};
		uint64_t at = 10, from = unit_random(&random) % 60, to = unit_random(&random) % 60,
			 start = unit_random(&random) % 60, end = unit_random(&random) % 60,
			 low = start > from ? start : from, high = end < to ? end : to;

		for (size_t i = 0; i < l.pieces; i++) {
			at += unit_random(&random) % 3;
			piece[i] = (struct elf_load_piece){
				.start = at, .is_placed = unit_random(&random) & 1};
			at += 1 + unit_random(&random) % 6;
			piece[i].end = at;
			whole[i] = piece[i];
		}
		elf_load_cut(&l, from, to);
		assert_int_equal(elf_load_placed(&l, start, end), count_placed(&before, low, high));
		for (size_t i = 0; i < l.pieces; i++)
			assert_true(l.piece[i].start == l.piece[i].end ||
				    (l.piece[i].start >= from && l.piece[i].end <= to));
	}
}

/*
 * As many parts as a file may have, in about as many mappings as a process may have by default
 * (vm.max_map_count).
 */
static void time_is_bounded_for_many_parts_and_pieces(void **state)
{
	static struct elf_load_piece piece[1 << 16];
	struct elf_load l = {.piece = piece, .pieces = ARRAY_SIZE(piece)};
	uint64_t bytes = 0;
	clock_t began = clock();

	(void)state;
	for (size_t i = 0; i < l.pieces; i++)
		piece[i] = (struct elf_load_piece){i * SIZE, (i + 1) * SIZE, .is_placed = true};
	elf_load_cut(&l, 0, UINT64_MAX);
	for (size_t i = 0; i < ELFFILE_SYMBOLS_MAX; i++)
		bytes += elf_load_placed(&l, i * 64, (i + 1) * 64);
	assert_true((clock() - began) / CLOCKS_PER_SEC < 10);
	assert_int_equal(bytes, ELFFILE_SYMBOLS_MAX * UINT64_C(64));
}

static void refuses_too_many_mappings(void **state)
{
	static struct elf_load_area area[ELF_LOAD_AREAS_MAX + 1];
	struct elf_loads l = {.count = 0};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(area); i++)
		area[i] = (struct elf_load_area){i * SIZE, (i + 1) * SIZE, 0, false};
	assert_int_equal(
		elf_loads_find(&library, SIZE, area, ARRAY_SIZE(area), NULL, 0, &l), -E2BIG);
	for (unsigned int n = 1; n; n = allocation_next(n)) {
		allocation_fail_at(n);
		if (allocation_check(elf_loads_find(&library, SIZE, area, 8, NULL, 0, &l)))
			assert_int_equal(l.count, 0);
	}
	elf_loads_done(&l);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_a_library_and_its_bss),
		cmocka_unit_test(accepts_mappings_of_parts_of_segments),
		cmocka_unit_test(segments_may_share_a_file_page),
		cmocka_unit_test(execute_permission_decides_between_segments),
		cmocka_unit_test(finds_two_loadings_and_a_plain_mapping),
		cmocka_unit_test(gaps_between_segments_are_not_placed),
		cmocka_unit_test(takes_only_memory_that_a_loader_would_have_made),
		cmocka_unit_test(accepts_anonymous_pages_within_text),
		cmocka_unit_test(segment_without_file_bytes_must_be_near),
		cmocka_unit_test(anonymous_memory_belongs_to_one_loading),
		cmocka_unit_test(keeps_each_mapping_for_random_files),
		cmocka_unit_test(time_is_bounded_if_no_segment_fits),
		cmocka_unit_test(placed_mappings_are_not_tried_again),
		cmocka_unit_test(time_is_bounded_if_memory_is_taken),
		cmocka_unit_test(sums_placed_bytes_within_a_range),
		cmocka_unit_test(time_is_bounded_for_many_parts_and_pieces),
		cmocka_unit_test(refuses_too_many_mappings),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
