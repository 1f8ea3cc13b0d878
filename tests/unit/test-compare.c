/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "tests/unit/unit.h"

#include "inside/compare.h"
#include "tests/unit/allocation.h"

struct part {
	const char *name;
	enum kind kind;
	bool is_deleted;
	uint64_t start, rss, pss;
};

static void fill(struct atlas *a, const struct part *parts, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct atlas_row row = {
			.name = (char *)(uintptr_t)parts[i].name,
			.kind = parts[i].kind,
			.is_deleted = parts[i].is_deleted,
			.start = parts[i].start,
			.perms = "rw-p",
			.mappings = 1,
			.present = UINT64_C(1) << MAPPING_RSS | UINT64_C(1) << MAPPING_PSS |
		                   UINT64_C(1) << MAPPING_MMU_PAGE_SIZE,
			.q = {[MAPPING_RSS] = parts[i].rss,
				[MAPPING_PSS] = parts[i].pss,
				[MAPPING_MMU_PAGE_SIZE] = 4096 + i},
		};

		assert_int_equal(atlas_add_row(a, &row), 0);
	}
}

static const struct part then[] = {
	{"/lib/a", KIND_FILE, false, 0, 100, 10},
	{"/lib/b", KIND_FILE, false, 0, 300, 300},
	{"/lib/same", KIND_FILE, false, 0, 5, 5},
	{"[anon]", KIND_ANON, false, 0, 1000, 1000},
};
static const struct part now[] = {
	{"[anon]", KIND_ANON, false, 0, 700, 1200},
	{"/lib/a", KIND_FILE, false, 0, 100, 50},
	{"/lib/b", KIND_FILE, true, 0, 300, 300},
	{"/lib/same", KIND_FILE, false, 0, 5, 5},
};

static void what_differs_is_told(void **state)
{
	static const struct {
		const char *name;
		int64_t rss, pss;
		bool has_now, has_then;
	} expected[] = {
		{"/lib/b", 300, 300, true, false},
		{"[anon]", -300, 200, true, true},
		{"/lib/a", 0, 40, true, true},
		{"/lib/b", -300, -300, false, true},
	};
	AUTO_ATLAS struct atlas a = {.by = ATLAS_BY_FILE}, b = {.by = ATLAS_BY_FILE};
	AUTO_COMPARE struct compare c = {0};

	(void)state;
	fill(&a, now, ARRAY_SIZE(now));
	fill(&b, then, ARRAY_SIZE(then));
	assert_int_equal(compare_make(&a, &b, MAPPING_PSS, &c), 0);
	assert_int_equal(c.rows, ARRAY_SIZE(expected));
	for (size_t i = 0; i < c.rows; i++) {
		const struct compare_row *r = &c.row[i];

		assert_string_equal((r->now ? r->now : r->then)->name, expected[i].name);
		assert_int_equal(r->q[MAPPING_RSS], expected[i].rss);
		assert_int_equal(r->q[MAPPING_PSS], expected[i].pss);
		assert_int_equal(r->now != NULL, expected[i].has_now);
		assert_int_equal(r->then != NULL, expected[i].has_then);
		/* Page sizes do not add up, and do not grow. */
		assert_int_equal(
			r->present, UINT64_C(1) << MAPPING_RSS | UINT64_C(1) << MAPPING_PSS);
	}
	assert_int_equal(c.total.q[MAPPING_RSS], -300);
	assert_int_equal(c.total.q[MAPPING_PSS], 240);
}

static void single_mappings_are_told_by_their_address(void **state)
{
	static const struct part before = {"[anon]", KIND_ANON, false, 0x1000, 10, 10};
	static const struct part after = {"[anon]", KIND_ANON, false, 0x2000, 30, 30};
	AUTO_ATLAS struct atlas a = {.by = ATLAS_BY_MAPPING}, b = {.by = ATLAS_BY_MAPPING};
	AUTO_COMPARE struct compare c = {0};

	(void)state;
	fill(&a, &before, 1);
	fill(&a, &after, 1);
	fill(&b, &before, 1);
	assert_int_equal(compare_make(&a, &b, MAPPING_RSS, &c), 0);
	assert_int_equal(c.rows, 1);
	assert_int_equal(c.row[0].q[MAPPING_RSS], 30);
	assert_null(c.row[0].then);
	assert_int_equal(c.row[0].now->start, 0x2000);
}

static void nothing_is_nothing(void **state)
{
	AUTO_ATLAS struct atlas a = {.by = ATLAS_BY_KIND}, b = {.by = ATLAS_BY_KIND};
	AUTO_COMPARE struct compare c = {0};

	(void)state;
	assert_int_equal(compare_make(&a, &b, MAPPING_RSS, &c), 0);
	assert_int_equal(c.rows, 0);
}

static void memory_may_lack(void **state)
{
	AUTO_ATLAS struct atlas a = {.by = ATLAS_BY_FILE}, b = {.by = ATLAS_BY_FILE};

	(void)state;
	fill(&a, now, ARRAY_SIZE(now));
	fill(&b, then, ARRAY_SIZE(then));
	for (unsigned int n = 1;; n++) {
		AUTO_COMPARE struct compare c = {0};
		bool has_failed;
		int r;

		allocation_fail_at(n);
		r = compare_make(&a, &b, MAPPING_PSS, &c);
		has_failed = allocation_end();
		assert_int_equal(r, has_failed ? -ENOMEM : 0);
		if (!has_failed)
			break;
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_differs_is_told),
		cmocka_unit_test(single_mappings_are_told_by_their_address),
		cmocka_unit_test(nothing_is_nothing),
		cmocka_unit_test(memory_may_lack),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
