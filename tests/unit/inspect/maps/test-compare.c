/* SPDX-License-Identifier: Apache-2.0 */
/* Tests the comparison of two mapping tables. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include "inspect/maps/compare.h"
#include "tests/unit/support/faults/allocation.h"

struct part {
	const char *name;
	enum kind kind;
	bool is_deleted;
	uint64_t start, rss, pss;
	uint64_t inode;
	const char *perms; /* NULL: "rw-p" */
};

static void fill(struct mapping_table *a, const struct part *parts, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct mapping_table_row row = {
			.name = (char *)(uintptr_t)parts[i].name,
			.kind = parts[i].kind,
			.is_deleted = parts[i].is_deleted,
			.start = parts[i].start,
			.inode = parts[i].inode,
			.mappings = 1,
			.present = UINT64_C(1) << MAPPING_RSS | UINT64_C(1) << MAPPING_PSS |
		                   UINT64_C(1) << MAPPING_MMU_PAGE_SIZE,
			.q = {[MAPPING_RSS] = parts[i].rss,
				[MAPPING_PSS] = parts[i].pss,
				[MAPPING_MMU_PAGE_SIZE] = 4096 + i},
		};

		memcpy(row.perms, parts[i].perms ? parts[i].perms : "rw-p", sizeof(row.perms));
		assert_int_equal(mapping_table_add_row(a, &row), 0);
	}
}

/* Expected row. */
struct change {
	const char *name;
	int64_t rss, pss;
	bool has_now, has_then;
};

static void check(enum mapping_table_by by, const struct part *now, size_t nows,
	const struct part *then, size_t thens, const struct change *expected, size_t count)
{
	AUTO_MAPPING_TABLE struct mapping_table a = {.by = by}, b = {.by = by};
	AUTO_COMPARE struct compare c = {0};

	fill(&a, now, nows);
	fill(&b, then, thens);
	assert_int_equal(compare_make(&a, &b, MAPPING_PSS, &c), 0);
	assert_int_equal(c.rows, count);
	for (size_t i = 0; i < c.rows; i++) {
		const struct compare_row *r = &c.row[i];

		assert_string_equal((r->now ? r->now : r->then)->name, expected[i].name);
		assert_int_equal(r->q[MAPPING_RSS], expected[i].rss);
		assert_int_equal(r->q[MAPPING_PSS], expected[i].pss);
		assert_int_equal(r->now != NULL, expected[i].has_now);
		assert_int_equal(r->then != NULL, expected[i].has_then);
		/* page sizes have no sum and no difference */
		assert_int_equal(
			r->present, UINT64_C(1) << MAPPING_RSS | UINT64_C(1) << MAPPING_PSS);
	}
}
#define CHECK(by, now, then, expected)                                                             \
	check(by, now, ARRAY_SIZE(now), then, ARRAY_SIZE(then), expected, ARRAY_SIZE(expected))

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

static void differences_are_reported(void **state)
{
	static const struct change expected[] = {
		{"[anon]", -300, 200, true, true},
		{"/lib/a", 0, 40, true, true},
		{"/lib/b", 0, 0, true, true},
	};
	AUTO_MAPPING_TABLE struct mapping_table a = {.by = MAPPING_TABLE_BY_FILE},
						b = {.by = MAPPING_TABLE_BY_FILE};
	AUTO_COMPARE struct compare c = {0};

	(void)state;
	CHECK(MAPPING_TABLE_BY_FILE, now, then, expected);
	fill(&a, now, ARRAY_SIZE(now));
	fill(&b, then, ARRAY_SIZE(then));
	assert_int_equal(compare_make(&a, &b, MAPPING_PSS, &c), 0);
	assert_int_equal(c.total.q[MAPPING_RSS], -300);
	assert_int_equal(c.total.q[MAPPING_PSS], 240);
}

/* All shared memory without a name has one label; the inode distinguishes it. */
static void shared_memory_is_identified_by_inode(void **state)
{
	static const struct part before[] = {
		{"[shared]", KIND_SHMEM, false, 0, 100, 100, .inode = 5},
		{"[shared]", KIND_SHMEM, false, 0, 50, 50, .inode = 6},
		{"/lib/a", KIND_FILE, false, 0, 20, 20, .inode = 9},
	};
	static const struct part after[] = {
		{"[shared]", KIND_SHMEM, false, 0, 80, 80, .inode = 6},
		{"[shared]", KIND_SHMEM, false, 0, 100, 100, .inode = 7},
		{"/lib/a", KIND_FILE, false, 0, 25, 25, .inode = 10},
	};
	static const struct change expected[] = {
		{"[shared]", 100, 100, true, false},
		{"[shared]", 30, 30, true, true},
		{"/lib/a", 25, 25, true, false},
		{"/lib/a", -20, -20, false, true},
		{"[shared]", -100, -100, false, true},
	};

	(void)state;
	CHECK(MAPPING_TABLE_BY_FILE, after, before, expected);
}

static void one_name_may_be_of_several_kinds(void **state)
{
	static const struct part before[] = {{"[anon]", KIND_KERNEL, false, 0, 10, 10}};
	static const struct part after[] = {
		{"[anon]", KIND_ANON, false, 0, 30, 30}, {"[anon]", KIND_KERNEL, false, 0, 10, 10}};
	static const struct change expected[] = {{"[anon]", 30, 30, true, false}};

	(void)state;
	CHECK(MAPPING_TABLE_BY_FILE, after, before, expected);
}

/* Processes that were forked have the same mappings at one address. */
static void equal_addresses_of_several_processes_are_one_row(void **state)
{
	static const struct part before[] = {
		{"[heap]", KIND_HEAP, false, 0x1000, 10, 10},
		{"[heap]", KIND_HEAP, false, 0x1000, 20, 20},
		{"[anon]", KIND_ANON, false, 0x5000, 7, 7},
		{"[anon]", KIND_ANON, false, 0x5000, 7, 7},
	};
	static const struct part after[] = {
		{"[heap]", KIND_HEAP, false, 0x1000, 20, 20},
		{"[heap]", KIND_HEAP, false, 0x1000, 15, 15},
		{"[heap]", KIND_HEAP, false, 0x1000, 1, 1},
		{"[anon]", KIND_ANON, false, 0x5000, 7, 7},
		{"[anon]", KIND_ANON, false, 0x5000, 7, 7, .perms = "r--p"},
	};
	static const struct change expected[] = {
		{"[anon]", 7, 7, true, false},
		{"[heap]", 6, 6, true, true},
		{"[anon]", -7, -7, true, true},
	};

	(void)state;
	CHECK(MAPPING_TABLE_BY_MAPPING, after, before, expected);
}

static void single_mappings_are_identified_by_address(void **state)
{
	static const struct part before = {"[anon]", KIND_ANON, false, 0x1000, 10, 10};
	static const struct part after = {"[anon]", KIND_ANON, false, 0x2000, 30, 30};
	AUTO_MAPPING_TABLE struct mapping_table a = {.by = MAPPING_TABLE_BY_MAPPING},
						b = {.by = MAPPING_TABLE_BY_MAPPING};
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

static void equal_sides_have_no_rows(void **state)
{
	AUTO_MAPPING_TABLE struct mapping_table a = {.by = MAPPING_TABLE_BY_KIND},
						b = {.by = MAPPING_TABLE_BY_KIND};
	AUTO_COMPARE struct compare c = {0};

	(void)state;
	assert_int_equal(compare_make(&a, &b, MAPPING_RSS, &c), 0);
	assert_int_equal(c.rows, 0);
}

static void lack_of_memory_is_reported(void **state)
{
	AUTO_MAPPING_TABLE struct mapping_table a = {.by = MAPPING_TABLE_BY_FILE},
						b = {.by = MAPPING_TABLE_BY_FILE};

	(void)state;
	fill(&a, now, ARRAY_SIZE(now));
	fill(&b, then, ARRAY_SIZE(then));
	for (unsigned int n = 1; n; n = allocation_next(n)) {
		AUTO_COMPARE struct compare c = {0};

		allocation_fail_at(n);
		allocation_check(compare_make(&a, &b, MAPPING_PSS, &c));
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(differences_are_reported),
		cmocka_unit_test(shared_memory_is_identified_by_inode),
		cmocka_unit_test(one_name_may_be_of_several_kinds),
		cmocka_unit_test(equal_addresses_of_several_processes_are_one_row),
		cmocka_unit_test(single_mappings_are_identified_by_address),
		cmocka_unit_test(equal_sides_have_no_rows),
		cmocka_unit_test(lack_of_memory_is_reported),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
