/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests of inspect/pages/page.h and inspect/pages/pagesum.h: the state of pages, as the kernel
 * describes them, and sums of pages.
 */
#include "config.h"

#include "tests/unit/support/unit.h"

#include "inspect/pages/kpage.h"
#include "inspect/pages/page.h"
#include "inspect/pages/pagemap.h"
#include "inspect/pages/pagesum.h"

#define THERE  PAGEMAP_PRESENT
#define HEX(x) UINT64_C(0x##x)

static const struct {
	const char *what;
	struct page_facts facts;
	enum page_state state;
} pages[] = {
	{"nothing", {.entry = 0}, PAGE_NONE},
	{"anonymous", {.entry = THERE | PAGEMAP_EXCLUSIVE}, PAGE_RESIDENT},
	{"shared after a fork", {.entry = THERE}, PAGE_RESIDENT},
	{"a file's", {.entry = THERE | PAGEMAP_FILE}, PAGE_RESIDENT},
	{"zeros, by a scan", {THERE, true, PAGEMAP_IS_PRESENT | PAGEMAP_IS_ZERO}, PAGE_ZERO},
	{"zeros, by the frame", {THERE | 5, false, 0, true, 0, KPAGE_ZERO}, PAGE_ZERO},
	{"huge zeros",
		{THERE | 5, true, PAGEMAP_IS_ZERO | PAGEMAP_IS_HUGE, true, 0,
			KPAGE_ZERO | KPAGE_THP},
		PAGE_ZERO},
	{"huge zeros, by a scan", {THERE | PAGEMAP_FILE, true, PAGEMAP_IS_ZERO | PAGEMAP_IS_HUGE},
		PAGE_ZERO},
	{"huge zeros that are called a file's",
		{THERE | PAGEMAP_FILE | 5, true, PAGEMAP_IS_HUGE, true, 0, KPAGE_ZERO | KPAGE_THP},
		PAGE_ZERO},
	{"written to since the scan", {THERE | PAGEMAP_EXCLUSIVE, true, PAGEMAP_IS_ZERO},
		PAGE_RESIDENT},
	{"written to since, and shared", {THERE | 5, true, PAGEMAP_IS_ZERO, true, 2, KPAGE_ANON},
		PAGE_RESIDENT},
	{"anonymous, by the frame", {THERE | 5, true, 0, true, 2, KPAGE_ANON}, PAGE_RESIDENT},
	{"a device's", {THERE | 5, true, 0, true, 0, KPAGE_NOPAGE}, PAGE_DEVICE},
	{"swapped", {.entry = PAGEMAP_SWAPPED | 32}, PAGE_SWAPPED},
	{"a mark that does not say so", {.entry = PAGEMAP_SWAPPED | HEX(5f)}, PAGE_NONE},
	{"swapped to the last place of an area", {.entry = PAGEMAP_SWAPPED | HEX(7fffffffffffe0)},
		PAGE_SWAPPED},
	{"a guard page", {.entry = PAGEMAP_SWAPPED | PAGEMAP_GUARD | HEX(9f)}, PAGE_NONE},
	{"hugetlb", {.entry = THERE | 5, .is_hugetlb = true}, PAGE_HUGETLB},
	{"hugetlb that is not resident", {.entry = 0, .is_hugetlb = true}, PAGE_NONE},
};

static void states_follow_from_the_kernels_facts(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(pages); i++) {
		struct page p = page_of(0x1000, &pages[i].facts);

		if (p.state != pages[i].state)
			print_message("%s is %s\n", pages[i].what, page_state_name(p.state));
		assert_int_equal(p.state, pages[i].state);
		assert_int_equal(p.address, 0x1000);
	}
	for (unsigned int i = 0; i < PAGE_STATES; i++)
		assert_true(*page_state_name((enum page_state)i));
}

/* Facts that were not read stay unknown. */
static void facts_that_were_not_read_are_unknown(void **state)
{
	const struct page_facts anon = {.entry = THERE | PAGEMAP_EXCLUSIVE},
				file = {.entry = THERE | PAGEMAP_FILE | 9},
				shown = {.entry = THERE | PAGEMAP_FILE | 9,
					.has_frame = true,
					.mappings = 0,
					.flags = KPAGE_DIRTY};
	struct page p = page_of(0, &anon);
	bool is_dirty = false;

	(void)state;
	assert_false(p.knows_frame || p.is_huge || p.frame);
	assert_true(page_is_dirty(&p, &is_dirty) && is_dirty);
	p = page_of(0, &file);
	assert_false(p.knows_frame);
	assert_false(page_is_dirty(&p, &is_dirty));
	p = page_of(0, &shown);
	assert_true(p.knows_frame && p.frame == 9);
	assert_int_equal(p.mappings, 1); /* the page was mapped when it was found */
	assert_true(page_is_dirty(&p, &is_dirty) && is_dirty);
}

static struct page page_mapped(uint64_t mappings, bool is_file, uint64_t flags)
{
	const struct page_facts f = {
		.entry = THERE | 1 | (is_file ? PAGEMAP_FILE : 0) |
	                 (mappings == 1 ? PAGEMAP_EXCLUSIVE : 0),
		.has_categories = true,
		.has_frame = true,
		.mappings = mappings,
		.flags = flags | (is_file ? 0 : KPAGE_ANON),
	};

	return page_of(0, &f);
}

static void histogram_has_powers_of_two(void **state)
{
	struct pagesum s = {0};
	uint64_t from, until, next = 1;

	(void)state;
	for (unsigned int i = PAGESUM_MAPPED_FIRST; i <= PAGESUM_MAPPED_LAST; i++) {
		pagesum_times((enum pagesum_field)i, &from, &until);
		assert_int_equal(from, next);
		assert_true(until >= from);
		next = until + 1;
	}
	assert_int_equal(until, UINT64_MAX);
	for (uint64_t m = 1; m <= 5000; m++) {
		struct page p = page_mapped(m, false, 0);

		pagesum_add(&s, &p, 1, false);
	}
	for (unsigned int i = PAGESUM_MAPPED_FIRST; i <= PAGESUM_MAPPED_LAST; i++) {
		pagesum_times((enum pagesum_field)i, &from, &until);
		assert_int_equal(s.q[i], (until < 5000 ? until : 5000) - from + 1);
	}
	assert_int_equal(s.q[PAGESUM_RSS], 5000);
	assert_int_equal(s.q[PAGESUM_PRIVATE], 1);
}

/* Each way of dividing the RSS counts each page exactly once. */
static void sums_count_each_page_once(void **state)
{
	const struct page zero = {.state = PAGE_ZERO}, swapped = {.state = PAGE_SWAPPED},
			  huge = {.state = PAGE_HUGETLB}, device = {.state = PAGE_DEVICE},
			  none = {.state = PAGE_NONE};
	struct page anon = page_mapped(1, false, 0), merged = page_mapped(3, false, KPAGE_KSM),
		    file = page_mapped(9, true, KPAGE_DIRTY | KPAGE_THP),
		    clean = page_mapped(9, true, 0);
	const struct page *all[] = {
		&zero, &swapped, &swapped, &huge, &device, &none, &anon, &merged, &file, &clean};
	struct pagesum s = {0}, twice = {0};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(all); i++)
		pagesum_add(&s, all[i], 10, true);
	assert_int_equal(s.q[PAGESUM_RSS], 40);
	assert_int_equal(s.q[PAGESUM_ANON], 20);
	assert_int_equal(s.q[PAGESUM_FILE], 20);
	assert_int_equal(s.q[PAGESUM_PRIVATE], 10);
	assert_int_equal(s.q[PAGESUM_SHARED], 30);
	assert_int_equal(s.q[PAGESUM_WRITTEN], 20);
	assert_int_equal(s.q[PAGESUM_DIRTY], 30);
	assert_int_equal(s.q[PAGESUM_KSM], 10);
	assert_int_equal(s.q[PAGESUM_LARGE], 10);
	assert_int_equal(s.q[PAGESUM_ZERO], 10);
	assert_int_equal(s.q[PAGESUM_SWAPPED], 20);
	assert_int_equal(s.q[PAGESUM_HUGETLB], 10);
	assert_int_equal(s.q[PAGESUM_DEVICE], 10);
	pagesum_add_sum(&twice, &s);
	pagesum_add_sum(&twice, &s);
	for (unsigned int i = 0; i < PAGESUM_FIELDS; i++)
		assert_int_equal(twice.q[i], 2 * s.q[i]);
	s = (struct pagesum){0};
	pagesum_add(&s, &anon, 10, false);
	assert_int_equal(s.q[PAGESUM_WRITTEN], 0);
}

static void known_fields_depend_on_the_kernel(void **state)
{
	uint64_t all = (UINT64_C(1) << PAGESUM_FIELDS) - 1;

	(void)state;
	assert_int_equal(pagesum_known(true, true), all);
	assert_int_equal(pagesum_known(true, false), all & ~(UINT64_C(1) << PAGESUM_HUGE));
	assert_true(pagesum_known(false, true) & UINT64_C(1) << PAGESUM_ZERO);
	assert_false(pagesum_known(false, true) & UINT64_C(1) << PAGESUM_DIRTY);
	assert_false(pagesum_known(false, true) & UINT64_C(1) << PAGESUM_MAPPED_FIRST);
	assert_false(pagesum_known(false, false) & UINT64_C(1) << PAGESUM_ZERO);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(states_follow_from_the_kernels_facts),
		cmocka_unit_test(facts_that_were_not_read_are_unknown),
		cmocka_unit_test(histogram_has_powers_of_two),
		cmocka_unit_test(sums_count_each_page_once),
		cmocka_unit_test(known_fields_depend_on_the_kernel),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
