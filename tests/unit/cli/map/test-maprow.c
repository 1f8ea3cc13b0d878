/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of cli/map/maprow.h: rows of `memtally map` as lines, JSON and CSV. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include <jansson.h>

#include "cli/map/maprow.h"
#include "tests/unit/support/cli/mapped.h"

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

static void check_lines(
	const struct maprow_format *f, const char *head, const char *line, const char *total)
{
	AUTO_MAPPING_TABLE struct mapping_table a = {.by = f->by};
	AUTO_BUFFER struct buffer heads = {0}, lines = {0}, totals = {0};
	struct mapping_table_row sum;

	make(&a);
	mapping_table_total(&a, &sum);
	maprow_add_head(f, &heads);
	maprow_add_line(f, &a.row[0], &lines);
	maprow_add_total(f, &sum, 1, &totals);
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
	check_lines(&(struct maprow_format){.by = MAPPING_TABLE_BY_FILE, .bytes = true},
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
			.bytes = i & 2,
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
			maprow_add_head(&f, &head);
			maprow_add_line(&f, &row, &line);
			maprow_add_total(&f, &row, 1, &total);
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
	maprow_add_line(&f, &row, &line);
	assert_string_equal(text_of(&line),
		"        2        -        4        -        -        -        -        -        -   "
		"     - anon\n");
	maprow_add_csv(&f, &row, &csv);
	assert_string_equal(text_of(&csv), "2,,,heap,anon,false,,,,,,,,4096,,,,,,,,,,,,,,,,,,,,\n");
}

static void json_has_every_field(void **state)
{
	const struct maprow_format f = {.by = MAPPING_TABLE_BY_MAPPING};
	AUTO_MAPPING_TABLE struct mapping_table a = {.by = MAPPING_TABLE_BY_MAPPING};
	AUTO_BUFFER struct buffer text = {0};
	json_t *json;

	(void)state;
	make(&a);
	maprow_add_json(&f, &a.row[0], &text);
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
		assert_int_equal(maprow_find(maprow_name((enum mapping_field)i)), i);
	}
	assert_int_equal(maprow_find("none"), MAPPING_FIELDS);
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
	maprow_add_json(&f, &row, &text);
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
		maprow_add_csv_head(&f, &head);
		maprow_add_csv(&f, &a.row[0], &row);
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

		maprow_add_csv(&f, &row, &csv);
		maprow_add_json(&f, &row, &json);
		if (!strstr(text_of(&csv), cases[i].cells))
			fail_msg("case %zu: %s", i, csv.data);
		if (cases[i].json ? !strstr(text_of(&json), cases[i].json)
				  : strstr(text_of(&json), "state") != NULL)
			fail_msg("case %zu: %s", i, json.data);
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
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
