/* SPDX-License-Identifier: Apache-2.0 */
/* Tests the bitmap that counts each page of a file once, compared with an array of bytes. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include "inspect/pages/page-bitmap.h"
#include "tests/unit/support/faults/allocation.h"

static void each_page_counts_once(void **state)
{
	AUTO_PAGE_BITMAP struct page_bitmap c = {.max = PAGE_BITMAP_MAX};

	(void)state;
	assert_int_equal(page_bitmap_pages(&c, 0), 0);
	assert_int_equal(page_bitmap_add(&c, 0, 10, 5), 0);
	assert_int_equal(page_bitmap_add(&c, 0, 12, 5), 0);
	assert_int_equal(page_bitmap_add(&c, 0, 10, 7), 0);
	assert_int_equal(page_bitmap_pages(&c, 0), 7);
	assert_int_equal(page_bitmap_add(&c, 1, 10, 5), 0);
	assert_int_equal(page_bitmap_pages(&c, 1), 5);
	assert_int_equal(page_bitmap_pages(&c, 0), 7);
	assert_int_equal(page_bitmap_pages(&c, 1000), 0);
	assert_int_equal(page_bitmap_add(&c, 1000, 0, 0), 0);
	assert_int_equal(page_bitmap_pages(&c, 1000), 0);
}

static void at_the_ends_of_words_and_chunks(void **state)
{
	static const uint64_t ends[] = {
		0, 1, 63, 64, 65, 127, 511, 512, 513, 1023, 1024, 1025, 2000};
	uint64_t far = UINT64_C(1) << 50;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(ends); i++)
		for (size_t k = i; k < ARRAY_SIZE(ends); k++) {
			AUTO_PAGE_BITMAP struct page_bitmap c = {.max = PAGE_BITMAP_MAX};
			uint64_t count = ends[k] - ends[i];

			assert_int_equal(page_bitmap_add(&c, 0, far + ends[i], count), 0);
			assert_int_equal(page_bitmap_pages(&c, 0), count);
			assert_int_equal(page_bitmap_add(&c, 0, far, 2001), 0);
			assert_int_equal(page_bitmap_pages(&c, 0), 2001);
		}
}

/* Random ranges of some files, compared with an array of one byte per page. */
static void many_ranges_equal_a_byte_array(void **state)
{
	enum { FILES = 9, PAGES = 5000, RANGES = 2000 };
	static char seen[FILES][PAGES];
	AUTO_PAGE_BITMAP struct page_bitmap c = {.max = PAGE_BITMAP_MAX, .seed = 3};
	uint32_t random = 1;

	(void)state;
	for (unsigned int i = 0; i < RANGES; i++) {
		uint32_t file, first, count;

		random = random * 1103515245 + 12345;
		file = (random >> 8) % FILES;
		random = random * 1103515245 + 12345;
		first = (random >> 8) % PAGES;
		random = random * 1103515245 + 12345;
		count = (random >> 8) % 40;
		if (count > PAGES - first)
			count = PAGES - first;
		memset(&seen[file][first], 1, count);
		assert_int_equal(page_bitmap_add(&c, file, first, count), 0);
	}
	for (uint32_t file = 0; file < FILES; file++) {
		uint64_t count = 0;

		for (unsigned int i = 0; i < PAGES; i++)
			count += (uint64_t)seen[file][i];
		assert_true(count > PAGES / 10);
		assert_int_equal(page_bitmap_pages(&c, file), count);
	}
}

static void ranges_beyond_the_limit_are_refused(void **state)
{
	AUTO_PAGE_BITMAP struct page_bitmap c = {.max = 1000}, none = {.max = 0};

	(void)state;
	for (uint32_t i = 0; i < 1000; i++)
		assert_int_equal(page_bitmap_add(&c, i % 7, (uint64_t)i * PAGE_BITMAP_CHUNK, 1), 0);
	assert_int_equal(page_bitmap_add(&c, 0, 0, 1), 0); /* in a chunk that exists */
	assert_int_equal(page_bitmap_add(&c, 1, 0, 1), -ENOSPC);
	assert_int_equal(page_bitmap_add(&c, 9, 0, UINT64_C(1) << 60), -ENOSPC);
	assert_int_equal(page_bitmap_pages(&c, 9), 0);
	assert_int_equal(page_bitmap_pages(&c, 0), 143);
	assert_int_equal(page_bitmap_add(&none, 0, 0, 1), -ENOSPC);
}

static void lack_of_memory_is_reported(void **state)
{
	(void)state;
	for (unsigned int n = 1; n; n = allocation_next(n)) {
		AUTO_PAGE_BITMAP struct page_bitmap c = {.max = PAGE_BITMAP_MAX};
		int r = 0;

		allocation_fail_at(n);
		for (uint32_t i = 0; r == 0 && i < 1000; i++)
			r = page_bitmap_add(&c, i, 5, 1);
		allocation_check(r);
		assert_int_equal(page_bitmap_add(&c, 0, 5, 3), 0);
		assert_int_equal(page_bitmap_pages(&c, 0), 3);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_page_counts_once),
		cmocka_unit_test(at_the_ends_of_words_and_chunks),
		cmocka_unit_test(many_ranges_equal_a_byte_array),
		cmocka_unit_test(ranges_beyond_the_limit_are_refused),
		cmocka_unit_test(lack_of_memory_is_reported),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
