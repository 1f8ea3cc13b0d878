/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of inspect/pages/resident-ranges.h: which bytes of an address range are resident. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include "inspect/pages/kpage.h"
#include "inspect/pages/resident-ranges.h"
#include "tests/unit/support/faults/allocation.h"

enum { SIZE = 4096, PAGES = 200 };

static struct page page_at(uint64_t number, enum page_state state, bool is_file, bool is_exclusive)
{
	return (struct page){.address = number * SIZE,
		.state = state,
		.is_file = is_file,
		.is_exclusive = is_exclusive};
}

static void bytes_count_by_their_page(void **state)
{
	static const struct {
		uint64_t start, end, resident, private, swapped;
	} asked[] = {
		{0, UINT64_MAX, 2 * SIZE, SIZE, SIZE},
		{0, 2 * SIZE, 0, 0, 0},
		{2 * SIZE, 3 * SIZE, SIZE, SIZE, 0},
		{2 * SIZE + 100, 2 * SIZE + 107, 7, 7, 0},
		{2 * SIZE - 1, 2 * SIZE + 1, 1, 1, 0},
		{3 * SIZE - 1, 3 * SIZE + 1, 2, 1, 0},
		{2 * SIZE + 1, 4 * SIZE - 1, 2 * SIZE - 2, SIZE - 1, 0},
		{3 * SIZE + 5, 9 * SIZE + 6, SIZE - 5, 0, 6},
		{9 * SIZE + 6, 9 * SIZE + 6, 0, 0, 0},
		{9 * SIZE + 7, 9 * SIZE + 6, 0, 0, 0},
		{10 * SIZE, 20 * SIZE, 0, 0, 0},
	};
	AUTO_RESIDENT_RANGES struct resident_ranges r = {.page_size = SIZE};
	const struct page pages[] = {page_at(2, PAGE_RESIDENT, false, true),
		page_at(3, PAGE_RESIDENT, true, false), page_at(4, PAGE_ZERO, false, false),
		page_at(9, PAGE_SWAPPED, false, false)};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(pages); i++)
		assert_int_equal(resident_ranges_add(&r, &pages[i]), 0);
	assert_int_equal(r.count, 3);
	for (size_t i = 0; i < ARRAY_SIZE(asked); i++) {
		uint64_t sum[RESIDENT_RANGES_FIELDS] = {0};

		resident_ranges_sum(&r, asked[i].start, asked[i].end, sum);
		assert_int_equal(sum[RESIDENT_RANGES_RESIDENT], asked[i].resident);
		assert_int_equal(sum[RESIDENT_RANGES_PRIVATE], asked[i].private);
		assert_int_equal(sum[RESIDENT_RANGES_SWAPPED], asked[i].swapped);
		assert_int_equal(sum[RESIDENT_RANGES_WRITTEN], asked[i].private);
	}
	assert_int_equal(resident_ranges_add(&r, &pages[0]), -EINVAL);
	resident_ranges_clear(&r);
	assert_int_equal(resident_ranges_add(&r, &pages[0]), 0);
}

/* For random pages and ranges the sums equal those of counting byte by byte. */
static void sums_equal_those_of_counting(void **state)
{
	uint64_t random = 7;

	(void)state;
	for (unsigned int round = 0; round < unit_rounds(60); round++) {
		AUTO_RESIDENT_RANGES struct resident_ranges r = {.page_size = SIZE};
		bool is_there[PAGES], is_private[PAGES];

		for (uint64_t i = 0; i < PAGES; i++) {
			struct page p = page_at(i, PAGE_RESIDENT, unit_random(&random) & 1,
				unit_random(&random) & 1);

			is_there[i] = unit_random(&random) % 3;
			is_private[i] = is_there[i] && p.is_exclusive;
			if (is_there[i])
				assert_int_equal(resident_ranges_add(&r, &p), 0);
		}
		for (unsigned int i = 0; i < 20; i++) {
			uint64_t start = unit_random(&random) % (PAGES * SIZE),
				 end = start + unit_random(&random) % (PAGES * SIZE - start + 1),
				 sum[RESIDENT_RANGES_FIELDS] = {0}, resident = 0, private = 0;

			for (uint64_t at = start; at < end; at++) {
				resident += is_there[at / SIZE];
				private += is_private[at / SIZE];
			}
			resident_ranges_sum(&r, start, end, sum);
			assert_int_equal(sum[RESIDENT_RANGES_RESIDENT], resident);
			assert_int_equal(sum[RESIDENT_RANGES_PRIVATE], private);
		}
	}
}

static void dirty_bytes_follow_from_frames(void **state)
{
	AUTO_RESIDENT_RANGES struct resident_ranges r = {.page_size = SIZE};
	struct page p = page_at(1, PAGE_RESIDENT, true, false);
	uint64_t sum[RESIDENT_RANGES_FIELDS] = {0};

	(void)state;
	assert_int_equal(resident_ranges_add(&r, &p), 0);
	p = page_at(2, PAGE_RESIDENT, true, false);
	p.knows_frame = true;
	p.flags = KPAGE_DIRTY;
	assert_int_equal(resident_ranges_add(&r, &p), 0);
	p = page_at(3, PAGE_RESIDENT, false, false);
	assert_int_equal(resident_ranges_add(&r, &p), 0);
	resident_ranges_sum(&r, 0, 4 * SIZE, sum);
	assert_int_equal(sum[RESIDENT_RANGES_DIRTY], 2 * SIZE);
	assert_int_equal(sum[RESIDENT_RANGES_WRITTEN], SIZE);
}

static void fails_without_memory(void **state)
{
	struct page p = page_at(0, PAGE_RESIDENT, false, false);

	(void)state;
	for (unsigned int n = 1; n; n = allocation_next(n)) {
		AUTO_RESIDENT_RANGES struct resident_ranges r = {.page_size = SIZE};
		int e = 0;

		allocation_fail_at(n);
		for (uint64_t i = 0; e == 0 && i < 1000; i++) {
			p.address = i * SIZE;
			e = resident_ranges_add(&r, &p);
		}
		allocation_check(e);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(bytes_count_by_their_page),
		cmocka_unit_test(sums_equal_those_of_counting),
		cmocka_unit_test(dirty_bytes_follow_from_frames),
		cmocka_unit_test(fails_without_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
