/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of cli/map/maprow.h: rows of `memtally map` as lines, JSON and CSV. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include <jansson.h>

#include "cli/map/maprow.h"
#include "tests/unit/support/cli/mapped.h"

#define BIT(field) (UINT64_C(1) << (field))

static void make(struct mapping_table *a)
{
	assert_int_equal(mapping_table_add(a, 42, &mapped_library), 0);
}

static const char *text_of(struct buffer *b)
{
	buffer_add_char(b, '\0');
	assert_int_equal(b->error, 0);
	return b->data;
}

/* Prints ROW in FORM: the head, the line or object, and a total, each if it is not NULL. */
static void print(const struct maprow_format *f, enum list_form form,
	const struct mapping_table_row *row, struct buffer *head, struct buffer *line,
	struct buffer *total)
{
	AUTO_BUFFER struct buffer rest = {0}, beside = {0};
	struct maprow_format own = *f;
	struct list l;

	own.look.form = form;
	l = maprow_list(&own, &maprow_columns, head ? head : &rest);
	buffer_printf(&beside, "total of 1 row%s", f->look.bytes ? "" : ", in KiB");
	list_begin(&l);
	l.to = line ? line : &rest;
	assert_int_equal(list_add(&l, row), 0);
	l.to = total ? total : &rest;
	list_total(&l, row, &beside);
	list_done(&l);
}

static void check_lines(
	const struct maprow_format *f, const char *head, const char *line, const char *total)
{
	AUTO_MAPPING_TABLE struct mapping_table a = {.by = f->by};
	AUTO_BUFFER struct buffer heads = {0}, lines = {0}, totals = {0};

	make(&a);
	print(f, LIST_LINES, &a.row[0], &heads, &lines, &totals);
	assert_string_equal(text_of(&heads), head);
	assert_string_equal(text_of(&lines), line);
	assert_string_equal(strchr(text_of(&totals), '\n') + 1, total);
	/* The rule above the total is as long as all columns but the last. */
	assert_int_equal(
		strspn(totals.data, "-"), strlen(heads.data) - strlen(strrchr(heads.data, ' ')));
}

static void lines_have_fixed_columns(void **state)
{
	(void)state;
	check_lines(&(struct maprow_format){.by = MAPPING_TABLE_BY_MAPPING},
		"ADDRESS                   PERM     SIZE      RSS      PSS   SHARED  PRIVATE    "
		"DIRTY     SWAP     HUGE  SHARERS MAPPING\n",
		"00400000-00420000         r-xp      128      100       50       75       25       "
		"35        3     3072      3.0 /lib/a, \"b\" [deleted]\n",
		"                                    128      100       50       75       25       "
		"35        3     3072      3.0 total of 1 row, in KiB\n");
	check_lines(&(struct maprow_format){.by = MAPPING_TABLE_BY_MAPPING, .has_pid = true},
		"     PID ADDRESS                   PERM     SIZE      RSS      PSS   SHARED  "
		"PRIVATE    DIRTY     SWAP     HUGE  SHARERS MAPPING\n",
		"      42 00400000-00420000         r-xp      128      100       50       75       "
		"25       35        3     3072      3.0 /lib/a, \"b\" [deleted]\n",
		"                                             128      100       50       75       "
		"25       35        3     3072      3.0 total of 1 row, in KiB\n");
	check_lines(&(struct maprow_format){.by = MAPPING_TABLE_BY_FILE, .look.bytes = true},
		" MAPPINGS          SIZE           RSS           PSS        SHARED       PRIVATE   "
		"      DIRTY          SWAP          HUGE  SHARERS FILE\n",
		"        1        131072        102400         51200         76800         25600   "
		"      35840          3072       3145728      3.0 /lib/a, \"b\" [deleted]\n",
		"        1        131072        102400         51200         76800         25600   "
		"      35840          3072       3145728      3.0 total of 1 row\n");
	check_lines(&(struct maprow_format){.by = MAPPING_TABLE_BY_KIND},
		" MAPPINGS     SIZE      RSS      PSS   SHARED  PRIVATE    DIRTY     SWAP     HUGE  "
		"SHARERS KIND\n",
		"        1      128      100       50       75       25       35        3     3072  "
		"    3.0 code\n",
		"        1      128      100       50       75       25       35        3     3072  "
		"    3.0 total of 1 row, in KiB\n");
}

/* Returns the number of blank-separated cells in the first line of TEXT. */
static size_t cells_of(const char *text)
{
	size_t cells = 0;

	for (; *text && *text != '\n'; text += strcspn(text, " \n")) {
		text += strspn(text, " ");
		cells += *text && *text != '\n';
	}
	return cells;
}

/* Amounts of 1 to 20 digits, and addresses of 8 to 16. */
static void cells_are_always_separated(void **state)
{
	(void)state;
	for (unsigned int i = 0; i < 8; i++) {
		const struct maprow_format f = {
			.by = i & 1 ? MAPPING_TABLE_BY_MAPPING : MAPPING_TABLE_BY_KIND,
			.look.bytes = i & 2,
			.has_pid = i & 4};

		for (unsigned int shift = 0; shift < 64; shift++) {
			uint64_t value = UINT64_MAX >> shift;
			struct mapping_table_row row = {.name = (char *)(uintptr_t) "name",
				.pid = INT32_MAX,
				.start = value,
				.end = value,
				.perms = "rwxp",
				.mappings = value,
				.present = UINT64_MAX};
			AUTO_BUFFER struct buffer head = {0}, line = {0}, total = {0};

			for (unsigned int k = 0; k < MAPPING_FIELDS; k++)
				row.q[k] = value;
			print(&f, LIST_LINES, &row, &head, &line, &total);
			assert_int_equal(cells_of(text_of(&line)), cells_of(text_of(&head)));
			/*
			 * without an address, but with "total of 1 row", and "in KiB" unless in
			 * bytes
			 */
			assert_int_equal(cells_of(strchr(text_of(&total), '\n') + 1),
				9U + !(i & 1) + (i & 2 ? 4U : 6U));
		}
	}
}

static void unknown_quantities_are_absent(void **state)
{
	const struct maprow_format f = {.by = MAPPING_TABLE_BY_KIND};
	struct mapping_table_row row = {.name = (char *)(uintptr_t) "anon", .mappings = 2};
	AUTO_BUFFER struct buffer line = {0}, csv = {0};

	(void)state;
	row.present = UINT64_C(1) << MAPPING_RSS;
	row.q[MAPPING_RSS] = 4 * KIB;
	print(&f, LIST_LINES, &row, NULL, &line, NULL);
	assert_string_equal(text_of(&line),
		"        2        -        4        -        -        -        -        -        -   "
		"     - anon\n");
	print(&f, LIST_CSV, &row, NULL, &csv, NULL);
	assert_string_equal(text_of(&csv), "2,,,heap,anon,false,,,,,,,,4096,,,,,,,,,,,,,,,,,,,,\n");
}

/* Returns the .index of the column with the name NAME. */
static unsigned int index_of(const char *name)
{
	const struct column *found = list_find_sort(&maprow_columns, name);

	assert_non_null(found);
	return found->index;
}

static void json_has_every_field(void **state)
{
	const struct maprow_format f = {.by = MAPPING_TABLE_BY_MAPPING};
	AUTO_MAPPING_TABLE struct mapping_table a = {.by = MAPPING_TABLE_BY_MAPPING};
	AUTO_BUFFER struct buffer text = {0};
	json_t *json;

	(void)state;
	make(&a);
	print(&f, LIST_JSON, &a.row[0], NULL, &text, NULL);
	json = json_loadb(text.data, text.len, JSON_REJECT_DUPLICATES, NULL);
	assert_non_null(json);
	assert_string_equal(json_string_value(json_object_get(json, "start")), "00400000");
	assert_string_equal(json_string_value(json_object_get(json, "name")), "/lib/a, \"b\"");
	assert_string_equal(json_string_value(json_object_get(json, "device")), "8:11");
	assert_string_equal(json_string_value(json_object_get(json, "kind")), "code");
	assert_true(json_is_true(json_object_get(json, "deleted")));
	assert_int_equal(json_array_size(json_object_get(json, "flags")), 2);
	assert_string_equal(
		json_string_value(json_array_get(json_object_get(json, "flags"), 1)), "rd");
	assert_int_equal(json_integer_value(json_object_get(json, "shared_bytes")), 75 * KIB);
	assert_true(json_number_value(json_object_get(json, "sharers_mean")) == 3);
	for (unsigned int i = 0; i < MAPPING_FIELDS; i++) {
		const json_t *value = json_object_get(json, maprow_name((enum mapping_field)i));

		assert_int_equal(value != NULL, i < MAPPING_THP_ELIGIBLE);
		assert_true(!value || (uint64_t)json_integer_value(value) == mapped_library.q[i]);
		assert_int_equal(index_of(maprow_name((enum mapping_field)i)), i);
	}
	assert_null(list_find_sort(&maprow_columns, "none"));
	assert_null(list_find_sort(&maprow_columns, "address"));
	assert_int_equal(index_of("Dirty"), MAPROW_DIRTY);
	assert_int_equal(index_of("private_bytes"), MAPROW_PRIVATE);
	assert_int_equal(index_of("SHARERS"), MAPROW_SHARERS);
	json_decref(json);
}

/* Names are cleaned; nothing else is guaranteed of them. */
static void json_has_any_name(void **state)
{
	static const char name[] = "/a\\b\"\\\"c\xc3\xa9";
	const struct maprow_format f = {.by = MAPPING_TABLE_BY_FILE};
	const struct mapping_table_row row = {.name = (char *)(uintptr_t)name, .mappings = 1};
	AUTO_BUFFER struct buffer text = {0};
	json_t *json;

	(void)state;
	print(&f, LIST_JSON, &row, NULL, &text, NULL);
	json = json_loadb(text.data, text.len, JSON_REJECT_DUPLICATES, NULL);
	assert_string_equal(json_string_value(json_object_get(json, "name")), name);
	json_decref(json);
}

/* One cell for each head, whatever the cells contain. */
static void csv_has_a_cell_for_each_head(void **state)
{
	(void)state;
	for (unsigned int by = MAPPING_TABLE_BY_MAPPING; by <= MAPPING_TABLE_BY_KIND; by++) {
		const struct maprow_format f = {.by = (enum mapping_table_by)by};
		AUTO_MAPPING_TABLE struct mapping_table a = {.by = (enum mapping_table_by)by};
		AUTO_BUFFER struct buffer head = {0}, row = {0};
		unsigned int heads = 0, cells = 0;
		bool is_quoted = false;

		make(&a);
		print(&f, LIST_CSV, &a.row[0], &head, &row, NULL);
		for (const char *at = text_of(&head); *at; at++)
			heads += *at == ',';
		for (const char *at = text_of(&row); *at; at++) {
			is_quoted ^= *at == '"';
			cells += *at == ',' && !is_quoted;
		}
		assert_int_equal(cells, heads);
	}
}

/* Only for deleted files, and only if the path was looked at; the same in JSON. */
static void csv_has_the_fate_of_deleted_files(void **state)
{
	static const struct {
		bool is_deleted;
		enum mapping_fate fate;
		const char *cells, *json;
	} cases[] = {
		{false, MAPPING_NOT_ASKED, "/a,false,,,", NULL},
		{false, MAPPING_THERE, "/a,false,,,", NULL},
		{false, MAPPING_LITERAL, "/a,false,,,", NULL},
		{true, MAPPING_NOT_ASKED, "/a,true,,,", NULL},
		{true, MAPPING_DELETED, "/a,true,deleted,,", "\"state\":\"deleted\""},
		{true, MAPPING_REPLACED, "/a,true,replaced,,", "\"state\":\"replaced\""},
		{true, MAPPING_UNCERTAIN, "/a,true,uncertain,,", "\"state\":\"uncertain\""},
	};
	const struct maprow_format f = {.by = MAPPING_TABLE_BY_FILE};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct mapping_table_row row = {.name = (char *)(uintptr_t) "/a",
			.mappings = 1,
			.is_deleted = cases[i].is_deleted,
			.fate = cases[i].fate};
		AUTO_BUFFER struct buffer csv = {0}, json = {0};

		print(&f, LIST_CSV, &row, NULL, &csv, NULL);
		print(&f, LIST_JSON, &row, NULL, &json, NULL);
		if (!strstr(text_of(&csv), cases[i].cells))
			fail_msg("case %zu: %s", i, csv.data);
		if (cases[i].json ? !strstr(text_of(&json), cases[i].json)
				  : strstr(text_of(&json), "state") != NULL)
			fail_msg("case %zu: %s", i, json.data);
	}
}

/* A row and the total have both the shared and the private memory, or neither. */
static void json_has_both_parts_or_none(void **state)
{
	const struct maprow_format f = {.by = MAPPING_TABLE_BY_MAPPING, .look.form = LIST_LINES};
	const struct mapping_table_row row = {.name = (char *)(uintptr_t) "name",
		.present = BIT(MAPPING_RSS) | BIT(MAPPING_SHARED_CLEAN) |
	                   BIT(MAPPING_SHARED_DIRTY)};
	AUTO_BUFFER struct buffer one = {0}, total = {0}, unused = {0};
	AUTO_LIST struct list lines = maprow_list(&f, &maprow_columns, &unused);

	(void)state;
	print(&f, LIST_JSON, &row, NULL, &one, NULL);
	assert_null(strstr(text_of(&one), "shared_bytes"));
	list_add_sums(&lines, &row, &total);
	assert_string_equal(text_of(&total),
		"{\"mappings\":0,\"rss_bytes\":0,\"shared_clean_bytes\":0,"
		"\"shared_dirty_bytes\":0}");
}

/* Sums have a value only if all parts that they need have one. */
static void sums_need_their_parts(void **state)
{
	static const struct {
		unsigned int index;
		uint64_t needed, sum; /* of fields with the values 1, 2, 4 ... */
	} cases[] = {
		{MAPPING_PSS, BIT(MAPPING_PSS), BIT(MAPPING_PSS)},
		{MAPROW_SHARED, BIT(MAPPING_SHARED_CLEAN) | BIT(MAPPING_SHARED_DIRTY),
			BIT(MAPPING_SHARED_CLEAN) | BIT(MAPPING_SHARED_DIRTY)},
		{MAPROW_PRIVATE, BIT(MAPPING_PRIVATE_CLEAN) | BIT(MAPPING_PRIVATE_DIRTY),
			BIT(MAPPING_PRIVATE_CLEAN) | BIT(MAPPING_PRIVATE_DIRTY)},
		{MAPROW_DIRTY, BIT(MAPPING_SHARED_DIRTY) | BIT(MAPPING_PRIVATE_DIRTY),
			BIT(MAPPING_SHARED_DIRTY) | BIT(MAPPING_PRIVATE_DIRTY)},
		{MAPROW_HUGE, BIT(MAPPING_ANON_HUGE_PAGES),
			BIT(MAPPING_ANON_HUGE_PAGES) | BIT(MAPPING_SHMEM_PMD_MAPPED) |
				BIT(MAPPING_FILE_PMD_MAPPED) | BIT(MAPPING_SHARED_HUGETLB) |
				BIT(MAPPING_PRIVATE_HUGETLB)},
	};
	uint64_t q[MAPPING_FIELDS], sum;

	(void)state;
	for (unsigned int i = 0; i < MAPPING_FIELDS; i++)
		q[i] = BIT(i);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		assert_true(maprow_sum(q, cases[i].needed, cases[i].index, &sum));
		assert_int_equal(sum, cases[i].sum);
		for (unsigned int k = 0; k < MAPPING_FIELDS; k++)
			assert_int_equal(
				maprow_sum(q, cases[i].needed & ~BIT(k), cases[i].index, &sum),
				!(cases[i].needed & BIT(k)));
	}
}

/* By any column of amounts, also a sum; rows without a value come last. */
static void sorts_by_any_amount(void **state)
{
	static const struct {
		const char *sort, *order;
	} cases[] = {{"rss", "bac"}, {"rss_bytes", "bac"}, {"dirty", "cba"}, {"MAPPINGS", "cab"},
		{"swap", "abc"}};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char names[][2] = {"c", "a", "b"};
		struct mapping_table_row row[] = {
			{.name = names[0],
				.pid = 3,
				.mappings = 9,
				.present = UINT64_MAX,
				.q[MAPPING_PRIVATE_DIRTY] = 4,
				.q[MAPPING_SHARED_DIRTY] = 1},
			{.name = names[1],
				.pid = 1,
				.mappings = 5,
				.q[MAPPING_RSS] = 1,
				.present = UINT64_MAX & ~BIT(MAPPING_SHARED_DIRTY)},
			{.name = names[2],
				.pid = 2,
				.mappings = 1,
				.q[MAPPING_RSS] = 2,
				.present = UINT64_MAX,
				.q[MAPPING_SHARED_DIRTY] = 3},
		};
		struct mapping_table table = {.row = row, .rows = ARRAY_SIZE(row)};
		char order[ARRAY_SIZE(row) + 1] = "";

		row[1].q[MAPPING_PRIVATE_DIRTY] = 7;
		maprow_sort(&table, index_of(cases[i].sort));
		for (size_t k = 0; k < table.rows; k++)
			order[k] = *table.row[k].name;
		assert_string_equal(order, cases[i].order);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_have_fixed_columns),
		cmocka_unit_test(cells_are_always_separated),
		cmocka_unit_test(unknown_quantities_are_absent),
		cmocka_unit_test(json_has_every_field),
		cmocka_unit_test(json_has_any_name),
		cmocka_unit_test(csv_has_a_cell_for_each_head),
		cmocka_unit_test(csv_has_the_fate_of_deleted_files),
		cmocka_unit_test(json_has_both_parts_or_none),
		cmocka_unit_test(sums_need_their_parts),
		cmocka_unit_test(sorts_by_any_amount),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
