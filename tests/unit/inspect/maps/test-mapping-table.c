/* SPDX-License-Identifier: Apache-2.0 */
/* Tests the table of mappings: a row for each mapping, or sums by file or kind. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include "inspect/maps/mapping-table.h"
#include "tests/unit/support/faults/allocation.h"

enum { KIB = 1024 };

#define AMOUNTS                                                                                    \
	(UINT64_C(1) << MAPPING_RSS | UINT64_C(1) << MAPPING_PSS |                                 \
		UINT64_C(1) << MAPPING_SHARED_CLEAN | UINT64_C(1) << MAPPING_SHARED_DIRTY |        \
		UINT64_C(1) << MAPPING_PRIVATE_CLEAN | UINT64_C(1) << MAPPING_PRIVATE_DIRTY |      \
		UINT64_C(1) << MAPPING_MMU_PAGE_SIZE)

struct part {
	uint64_t start;
	const char *perms, *path;
	uint64_t inode, shared, private, pss; /* KiB */
};

/* A library in three mappings, another file of the same name, anonymous memory, and a heap. */
static const struct part parts[] = {
	{0x1000, "r-xp", "/lib/a.so", 7, 400, 0, 100},
	{0x2000, "rw-p", "/lib/a.so", 7, 0, 30, 30},
	{0x3000, "r--p", "/lib/a.so (deleted)", 7, 100, 20, 70},
	{0x4000, "r--p", "/lib/a.so", 8, 0, 5, 5},
	{0x5000, "rw-p", "", 0, 0, 900, 900},
	{0x6000, "rw-p", "[heap]", 0, 0, 200, 200},
	{0x7000, "rw-p", "", 0, 0, 100, 100},
};

static struct mapping mapping_of(const struct part *p)
{
	struct mapping m = {
		.start = p->start,
		.end = p->start + 0x1000,
		.inode = p->inode,
		.major = p->inode ? 8 : 0,
		.path = p->path,
		.path_len = strlen(p->path),
		.flags = "",
		.present = AMOUNTS,
		.q[MAPPING_MMU_PAGE_SIZE] = 4 * KIB,
		.q[MAPPING_RSS] = (p->shared + p->private) * KIB,
		.q[MAPPING_PSS] = p->pss * KIB,
		.q[MAPPING_SHARED_CLEAN] = p->shared * KIB,
		.q[MAPPING_PRIVATE_DIRTY] = p->private * KIB,
	};

	snprintf(m.perms, sizeof(m.perms), "%s", p->perms);
	return m;
}

static int fill(struct mapping_table *a)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < ARRAY_SIZE(parts); i++) {
		struct mapping m = mapping_of(&parts[i]);

		r = mapping_table_add(a, 42, &m);
	}
	return r;
}

static void check_total(const struct mapping_table *a)
{
	struct mapping_table_row total;

	mapping_table_total(a, &total);
	assert_int_equal(total.mappings, ARRAY_SIZE(parts));
	assert_int_equal(total.q[MAPPING_PSS], 1405 * KIB);
	assert_int_equal(total.q[MAPPING_RSS], 1755 * KIB);
	assert_int_equal(total.q[MAPPING_MMU_PAGE_SIZE], 4 * KIB);
	assert_int_equal(total.present, AMOUNTS);
}

static void keeps_each_mapping(void **state)
{
	AUTO_MAPPING_TABLE struct mapping_table a = {.by = MAPPING_TABLE_BY_MAPPING};
	uint64_t bytes;
	double sharers;

	(void)state;
	assert_int_equal(fill(&a), 0);
	assert_int_equal(a.rows, ARRAY_SIZE(parts));
	check_total(&a);
	assert_string_equal(a.row[0].name, "/lib/a.so");
	assert_int_equal(a.row[0].kind, KIND_CODE);
	assert_int_equal(a.row[0].pid, 42);
	assert_int_equal(a.row[0].end, 0x2000);
	assert_string_equal(a.row[0].perms, "r-xp");
	assert_true(mapping_table_figure(&a.row[0], MAPPING_TABLE_SHARED, &bytes));
	assert_int_equal(bytes, 400 * KIB);
	assert_true(mapping_table_sharers(&a.row[0], &sharers) && sharers == 4);
	assert_true(mapping_table_sharers(&a.row[2], &sharers) && sharers == 2);
	assert_false(mapping_table_sharers(&a.row[1], &sharers));
	a.row[0].present &= ~(UINT64_C(1) << MAPPING_SHARED_DIRTY);
	assert_false(mapping_table_figure(&a.row[0], MAPPING_TABLE_SHARED, &bytes));
	assert_false(mapping_table_sharers(&a.row[0], &sharers));
	mapping_table_sort(&a, MAPPING_PSS);
	assert_int_equal(a.row[0].start, 0x5000);
	assert_int_equal(a.row[1].start, 0x6000);
	/* of two rows with equal sizes the one with the lower address */
	assert_int_equal(a.row[2].start, 0x1000);
	assert_int_equal(a.row[3].start, 0x7000);
}

static void merges_mappings_of_a_file(void **state)
{
	AUTO_MAPPING_TABLE struct mapping_table a = {.by = MAPPING_TABLE_BY_FILE};
	double sharers;

	(void)state;
	assert_int_equal(fill(&a), 0);
	assert_int_equal(a.rows, 4);
	check_total(&a);
	assert_string_equal(a.row[0].name, "/lib/a.so");
	assert_int_equal(a.row[0].inode, 7);
	assert_int_equal(a.row[0].mappings, 3);
	assert_int_equal(a.row[0].q[MAPPING_PSS], 200 * KIB);
	assert_true(a.row[0].is_deleted);
	assert_false(a.row[1].is_deleted);
	assert_true(mapping_table_sharers(&a.row[0], &sharers) && sharers > 3.33 && sharers < 3.34);
	assert_string_equal(a.row[2].name, "[anon]");
	assert_int_equal(a.row[2].mappings, 2);
	assert_string_equal(a.row[0].perms, "");
	assert_int_equal(a.row[0].start, 0);
}

static void merges_mappings_of_a_kind(void **state)
{
	static const struct {
		const char *name;
		uint64_t mappings, pss;
	} expected[] = {{"anon", 2, 1000}, {"heap", 1, 200}, {"code", 1, 100}, {"data", 1, 30},
		{"file", 2, 75}};
	AUTO_MAPPING_TABLE struct mapping_table a = {.by = MAPPING_TABLE_BY_KIND};

	(void)state;
	assert_int_equal(fill(&a), 0);
	check_total(&a);
	assert_int_equal(a.rows, ARRAY_SIZE(expected));
	for (size_t i = 0; i < ARRAY_SIZE(expected); i++) {
		size_t found = 0;

		while (found < a.rows && strcmp(a.row[found].name, expected[i].name) != 0)
			found++;
		assert_true(found < a.rows);
		assert_int_equal(a.row[found].mappings, expected[i].mappings);
		assert_int_equal(a.row[found].q[MAPPING_PSS], expected[i].pss * KIB);
		assert_false(a.row[found].is_deleted);
	}
}

/* `memtally map --by=kind` called all files of a kind unlinked because one was. */
static void a_kind_has_no_state_of_a_file(void **state)
{
	static const struct part p = {0x1000, "r--p", "/tmp/a (deleted)", 9, 0, 4, 4};
	AUTO_MAPPING_TABLE struct mapping_table kinds = {.by = MAPPING_TABLE_BY_KIND},
						files = {.by = MAPPING_TABLE_BY_FILE};
	struct mapping m = mapping_of(&p);

	(void)state;
	m.fate = MAPPING_UNLINKED;
	assert_int_equal(mapping_table_add(&files, 42, &m), 0);
	assert_int_equal(files.row[0].fate, MAPPING_UNLINKED);
	assert_int_equal(mapping_table_add(&kinds, 42, &m), 0);
	assert_int_equal(kinds.row[0].fate, MAPPING_NOT_ASKED);
	assert_int_equal(mapping_table_add(&kinds, 42, &m), 0);
	assert_int_equal(kinds.row[0].fate, MAPPING_NOT_ASKED);
}

static void finds_one_mapping_among_many(void **state)
{
	AUTO_MAPPING_TABLE struct mapping_table a = {.by = MAPPING_TABLE_BY_FILE};
	struct part p = {0x1000, "r--p", "/a", 0, 1, 1, 1};

	(void)state;
	for (unsigned int round = 0; round < 3; round++)
		for (p.inode = 1; p.inode <= 1000; p.inode++) {
			struct mapping m = mapping_of(&p);

			assert_int_equal(mapping_table_add(&a, 1, &m), 0);
		}
	assert_int_equal(a.rows, 1000);
	for (size_t i = 0; i < a.rows; i++)
		assert_int_equal(a.row[i].mappings, 3);
}

static void too_many_mappings_are_reported(void **state)
{
	AUTO_MAPPING_TABLE struct mapping_table a = {.by = MAPPING_TABLE_BY_KIND};
	struct mapping m = mapping_of(&parts[0]);

	(void)state;
	m.q[MAPPING_RSS] = INT64_MAX;
	assert_int_equal(mapping_table_add(&a, 1, &m), 0);
	assert_int_equal(mapping_table_add(&a, 1, &m), 0);
	assert_int_equal(mapping_table_add(&a, 1, &m), -EOVERFLOW);
}

static void quantities_that_are_not_amounts_have_no_sum(void **state)
{
	(void)state;
	for (unsigned int i = 0; i < MAPPING_FIELDS; i++)
		assert_true(mapping_field_is_amount((enum mapping_field)i) ||
			    !mapping_table_is_sum((enum mapping_field)i));
	assert_false(mapping_table_is_sum(MAPPING_MMU_PAGE_SIZE));
	assert_true(mapping_table_is_sum(MAPPING_PSS) && mapping_table_is_sum(MAPPING_LOCKED));
}

static void lack_of_memory_is_reported(void **state)
{
	(void)state;
	for (unsigned int by = MAPPING_TABLE_BY_MAPPING; by <= MAPPING_TABLE_BY_KIND; by++)
		for (unsigned int n = 1; n; n = allocation_next(n)) {
			AUTO_MAPPING_TABLE struct mapping_table a = {
				.by = (enum mapping_table_by)by};

			allocation_fail_at(n);
			allocation_check(fill(&a));
		}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(keeps_each_mapping),
		cmocka_unit_test(merges_mappings_of_a_file),
		cmocka_unit_test(merges_mappings_of_a_kind),
		cmocka_unit_test(a_kind_has_no_state_of_a_file),
		cmocka_unit_test(finds_one_mapping_among_many),
		cmocka_unit_test(too_many_mappings_are_reported),
		cmocka_unit_test(quantities_that_are_not_amounts_have_no_sum),
		cmocka_unit_test(lack_of_memory_is_reported),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
