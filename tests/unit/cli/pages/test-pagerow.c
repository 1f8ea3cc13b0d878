/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests of cli/pages/pagerow.h and cli/pages/partrow.h: rows of pages, sections and symbols as
 * lines, JSON and CSV.
 */
#include "config.h"

#include "tests/unit/support/unit.h"

#include <jansson.h>

#include "cli/pages/pagerow.h"
#include "cli/pages/partrow.h"
#include "inspect/pages/kpage.h"

enum { KIB = 1024 };

static const char *text_of(struct buffer *b)
{
	buffer_add_char(b, '\0');
	assert_int_equal(b->error, 0);
	return b->data;
}

static char name[] = "/lib/a, \"b\"", program[] = "=program";

static struct pagerow row_of(void)
{
	struct pagerow row = {.kind = KIND_CODE,
		.pid = 42,
		.name = name,
		.perms = "r-xp",
		.start = 0x400000,
		.end = 0x420000,
		.mappings = 3};

	for (unsigned int i = 0; i < PAGESUM_FIELDS; i++)
		row.sum.q[i] = (i + 1) * KIB;
	for (unsigned int i = PAGESUM_MAPPED_FIRST + 3; i < PAGESUM_MAPPED_LAST; i++)
		row.sum.q[i] = 0;
	return row;
}

/* Prints ROW in the form of L: the head, the line or object, and a total, each if it is not NULL. */
static void print(struct list l, const void *row, struct buffer *head, struct buffer *line,
	struct buffer *total)
{
	AUTO_BUFFER struct buffer rest = {0}, beside = {0};

	buffer_add_text(&beside, "total of 1 row, in bytes");
	l.to = head ? head : &rest;
	list_begin(&l);
	l.to = line ? line : &rest;
	assert_int_equal(list_add(&l, row), 0);
	l.to = total ? total : &rest;
	list_total(&l, row, &beside);
	list_done(&l);
}

/* These return a list of rows of F in FORM, of one format at a time. */
static struct list rows_as(const struct pagerow_format *f, enum list_form form)
{
	static struct pagerow_format own;

	own = *f;
	own.look.form = form;
	return pagerow_list(&own, NULL);
}

static struct list pages_as(const struct pagerow_format *f, enum list_form form)
{
	struct pagerow_format own = *f;

	own.by = PAGEROW_BY_PAGE;
	return rows_as(&own, form);
}

static struct list times_as_lines(
	const struct pagerow_format *f, const struct pagerow *total, struct pagerow_times *times)
{
	static struct pagerow_format own;

	own = *f;
	own.look.form = LIST_LINES;
	return pagerow_times_list(&own, total, times, NULL);
}

static struct list parts_as(const struct partrow_format *f, enum list_form form)
{
	static struct partrow_format own;

	own = *f;
	own.look.form = form;
	return partrow_list(&own, NULL);
}

static size_t width_of_line(const char *line)
{
	return strcspn(line, "\n");
}

/* Cells of a column have one width. */
static void lines_have_fixed_columns(void **state)
{
	(void)state;
	for (unsigned int i = 0; i < 8; i++) {
		const struct pagerow_format f = {.by = i & 1 ? PAGEROW_BY_MAPPING : PAGEROW_BY_KIND,
			.look.bytes = i & 2,
			.has_pid = i & 4,
			.known = pagesum_known(true, true)};
		AUTO_BUFFER struct buffer head = {0}, line = {0}, total = {0}, times = {0};
		struct pagerow row = row_of();
		struct pagerow_times columns;
		const char *of = i & 1 ? " /lib/a, \"b\"\n" : " code\n";

		print(rows_as(&f, LIST_LINES), &row, &head, &line, &total);
		assert_int_equal(
			width_of_line(text_of(&head)) - strlen(i & 1 ? " MAPPING" : " KIND"),
			width_of_line(text_of(&line)) - strlen(of) + 1);
		assert_int_equal(width_of_line(text_of(&total)), strlen(line.data) - strlen(of));
		assert_string_equal(line.data + strlen(line.data) - strlen(of), of);
		print(times_as_lines(&f, &row, &columns), &row, &times, &times, &times);
		assert_non_null(strstr(text_of(&times), "   1 "));
		assert_non_null(strstr(times.data, " 3-4 "));
		assert_non_null(strstr(times.data, ">1024 "));
		assert_null(strstr(times.data, " 5-8 "));
	}
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

static void cells_of_pages_are_always_separated(void **state)
{
	char wide[] = "name";

	(void)state;
	for (unsigned int i = 0; i < 8; i++) {
		const struct pagerow_format f = {.by = i & 1 ? PAGEROW_BY_MAPPING : PAGEROW_BY_KIND,
			.look.bytes = i & 2,
			.has_pid = i & 4,
			.known = pagesum_known(true, true)};
		const struct page page = {.address = UINT64_MAX,
			.state = PAGE_HUGETLB,
			.knows_frame = true,
			.mappings = UINT64_MAX,
			.flags = UINT64_MAX};
		struct pagerow row = row_of();
		struct pagerow_times columns;
		AUTO_BUFFER struct buffer head = {0}, line = {0}, total = {0}, pages = {0},
					  page_head = {0}, times = {0}, times_head = {0};

		row.name = wide;
		row.pid = INT32_MAX;
		row.start = row.end = UINT64_MAX;
		for (unsigned int k = 0; k < PAGESUM_FIELDS; k++)
			row.sum.q[k] = UINT64_MAX;
		print(rows_as(&f, LIST_LINES), &row, &head, &line, &total);
		assert_int_equal(cells_of(text_of(&line)), cells_of(text_of(&head)));
		assert_int_equal(cells_of(strchr(text_of(&total), '\n') + 1), 11U + 6U);
		print(times_as_lines(&f, &(struct pagerow){0}, &columns), &row, &times_head, &times,
			NULL);
		assert_int_equal(
			cells_of(text_of(&times)), 1U + 1U + (i & 1) * 2U + (i & 1 && i & 4));
		print(pages_as(&f, LIST_LINES), &(struct pagerow_page){&row, &page}, &page_head,
			&pages, NULL);
		assert_int_equal(cells_of(text_of(&pages)), cells_of(text_of(&page_head)));
	}
}

static void cells_of_parts_are_always_separated(void **state)
{
	char object[] = "/lib/a", part[] = "a_symbol_whose_name_is_longer_than_its_column";

	(void)state;
	for (unsigned int i = 0; i < 4; i++) {
		const struct partrow_format f = {
			.of_symbols = i & 1, .has_pid = i & 2, .knows_dirty = true};
		struct partrow row = {
			.pid = INT32_MAX, .name = part, .object = object, .address = UINT64_MAX};
		AUTO_BUFFER struct buffer head = {0}, line = {0}, total = {0};

		for (unsigned int k = 0; k < PARTROW_FIELDS; k++)
			row.q[k] = UINT64_MAX;
		print(parts_as(&f, LIST_LINES), &row, &head, &line, &total);
		assert_int_equal(cells_of(text_of(&line)), cells_of(text_of(&head)));
		assert_int_equal(cells_of(strchr(text_of(&total), '\n') + 1), PARTROW_FIELDS + 6U);
	}
}

static void unknown_quantities_are_absent(void **state)
{
	const struct pagerow_format f = {
		.by = PAGEROW_BY_PROCESS, .known = pagesum_known(false, false)};
	AUTO_BUFFER struct buffer line = {0}, text = {0}, csv = {0};
	struct pagerow row = row_of();
	json_t *json;

	(void)state;
	row.name = program;
	print(rows_as(&f, LIST_LINES), &row, NULL, &line, NULL);
	assert_string_equal(text_of(&line),
		"        1        2        3        4        5        6        -        -        -       13       14 42 =program\n");
	print(rows_as(&f, LIST_JSON), &row, NULL, &text, NULL);
	json = json_loads(text_of(&text), JSON_REJECT_DUPLICATES, NULL);
	assert_int_equal(json_integer_value(json_object_get(json, "rss_bytes")), 2 * KIB);
	assert_string_equal(json_string_value(json_object_get(json, "program")), "=program");
	assert_null(json_object_get(json, "zero_bytes"));
	assert_null(json_object_get(json, "huge_bytes"));
	assert_null(json_object_get(json, "mapped_1_bytes"));
	json_decref(json);
	print(rows_as(&f, LIST_CSV), &row, NULL, &csv, NULL);
	assert_non_null(strstr(text_of(&csv), "3,42,'=program,1024,2048,"));
	assert_non_null(strstr(csv.data, ",13312,14336,,,,,,,,,,,,,\n"));
}

static size_t count(const char *text, char c)
{
	size_t n = 0;

	for (; *text; text++)
		n += *text == c;
	return n;
}

/* One cell for each head. */
static void csv_has_a_cell_for_each_head(void **state)
{
	(void)state;
	for (unsigned int by = PAGEROW_BY_KIND; by <= PAGEROW_BY_MAPPING; by++) {
		const struct pagerow_format f = {
			.by = (enum pagerow_by)by, .known = pagesum_known(true, true)};
		AUTO_BUFFER struct buffer head = {0}, line = {0};
		struct pagerow row = row_of();

		row.name = program;
		print(rows_as(&f, LIST_CSV), &row, &head, &line, NULL);
		assert_int_equal(count(text_of(&head), ','), count(text_of(&line), ','));
	}
}

static void prints_single_pages(void **state)
{
	const struct pagerow_format f = {.by = PAGEROW_BY_PAGE};
	const struct pagerow mapping = {.pid = 42, .name = name, .perms = "rw-p"};
	const struct page pages[] = {
		{.address = 0x7f0000001000,
			.state = PAGE_RESIDENT,
			.is_huge = true,
			.knows_frame = true,
			.frame = 77,
			.mappings = 3,
			.flags = KPAGE_DIRTY | KPAGE_LRU | KPAGE_THP},
		{.address = 0x7f0000002000,
			.state = PAGE_RESIDENT,
			.is_file = true,
			.is_exclusive = true},
		{.address = 0x7f0000003000, .state = PAGE_SWAPPED},
		{.address = 0x7f0000004000, .state = PAGE_RESIDENT},
	};
	static const char *const lines[] = {
		"7f0000001000 rw-p resident anon         3 huge,dirty,lru,thp                       /lib/a, \"b\"\n",
		"7f0000002000 rw-p resident file         1 -                                        /lib/a, \"b\"\n",
		"7f0000003000 rw-p swapped               - -                                        /lib/a, \"b\"\n",
		"7f0000004000 rw-p resident anon        >1 -                                        /lib/a, \"b\"\n",
	};
	static const char *const cells[] = {
		"42,7f0000001000,rw-p,resident,anon,false,3,77,huge dirty lru thp,\"/lib/a, \"\"b\"\"\"\n",
		"42,7f0000002000,rw-p,resident,file,true,,,,\"/lib/a, \"\"b\"\"\"\n",
		"42,7f0000003000,rw-p,swapped,,,,,,\"/lib/a, \"\"b\"\"\"\n",
		"42,7f0000004000,rw-p,resident,anon,false,,,,\"/lib/a, \"\"b\"\"\"\n",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(pages); i++) {
		const struct pagerow_page row = {&mapping, &pages[i]};
		AUTO_BUFFER struct buffer line = {0}, csv = {0}, text = {0};
		json_t *json;

		print(pages_as(&f, LIST_LINES), &row, NULL, &line, NULL);
		assert_string_equal(text_of(&line), lines[i]);
		print(pages_as(&f, LIST_CSV), &row, NULL, &csv, NULL);
		assert_string_equal(text_of(&csv), cells[i]);
		print(pages_as(&f, LIST_JSON), &row, NULL, &text, NULL);
		json = json_loads(text_of(&text), JSON_REJECT_DUPLICATES, NULL);
		assert_string_equal(json_string_value(json_object_get(json, "state")),
			page_state_name(pages[i].state));
		assert_int_equal(json_array_size(json_object_get(json, "flags")), i ? 0 : 4);
		assert_int_equal(!json_object_get(json, "mapped"), i > 0);
		assert_int_equal(!json_object_get(json, "exclusive"), i == 2);
		json_decref(json);
	}
}

static char symbol[] = "a\"symbol";

static struct partrow part_of(bool has_name)
{
	struct partrow row = {.pid = 42,
		.address = has_name ? 0x401000 : 0,
		.name = has_name ? symbol : NULL,
		.object = name,
		.aliases = 2};

	for (unsigned int i = 0; i < PARTROW_FIELDS; i++)
		row.q[i] = i + 1;
	return row;
}

static void prints_parts(void **state)
{
	(void)state;
	for (unsigned int i = 0; i < 8; i++) {
		const struct partrow_format f = {
			.of_symbols = i & 1, .has_pid = i & 2, .knows_dirty = i & 4};
		AUTO_BUFFER struct buffer head = {0}, line = {0}, rest = {0}, total = {0},
					  csv_head = {0}, csv = {0}, text = {0};
		struct partrow row = part_of(true), none = part_of(false);
		json_t *json;

		print(parts_as(&f, LIST_LINES), &row, &head, &line, &total);
		print(parts_as(&f, LIST_LINES), &none, NULL, &rest, NULL);
		assert_int_equal(strstr(text_of(&head), "FILE") - head.data,
			strstr(text_of(&line), name) - line.data);
		assert_int_equal(strstr(text_of(&rest), name) - rest.data,
			strstr(line.data, name) - line.data);
		assert_non_null(strstr(rest.data, i & 1 ? " (no symbol) " : " (no section) "));
		assert_int_equal(!strstr(line.data, "           6           7 "), !(i & 4));
		assert_int_equal(strspn(text_of(&total), "-"),
			strstr(head.data, i & 1 ? " SYMBOL" : " SECTION") - head.data);
		print(parts_as(&f, LIST_CSV), &row, &csv_head, &csv, NULL);
		assert_int_equal(count(text_of(&csv_head), ',') + 1,
			count(text_of(&csv), ',')); /* within a name */
		print(parts_as(&f, LIST_JSON), &row, NULL, &text, NULL);
		json = json_loads(text_of(&text), JSON_REJECT_DUPLICATES, NULL);
		assert_string_equal(
			json_string_value(json_object_get(json, i & 1 ? "symbol" : "section")),
			symbol);
		assert_string_equal(
			json_string_value(json_object_get(json, "address")), "00401000");
		assert_int_equal(!json_object_get(json, "dirty_bytes"), !(i & 4));
		json_decref(json);
		buffer_clear(&text);
		print(parts_as(&f, LIST_JSON), &none, NULL, &text, NULL);
		json = json_loads(text_of(&text), JSON_REJECT_DUPLICATES, NULL);
		assert_non_null(json);
		assert_null(json_object_get(json, "address"));
		json_decref(json);
	}
}

static void finds_fields_by_name(void **state)
{
	(void)state;
	assert_int_equal(list_find_sort(&pagerow_columns, "mapped_3_to_4_bytes")->index,
		PAGESUM_MAPPED_FIRST + 2);
	assert_int_equal(
		list_find_sort(&pagerow_columns, "mapped_more_bytes")->index, PAGESUM_MAPPED_LAST);
	assert_int_equal(list_find_sort(&pagerow_columns, "Swapped")->index, PAGESUM_SWAPPED);
	assert_null(list_find_sort(&pagerow_columns, "pss_bytes"));
	assert_int_equal(list_find_sort(&partrow_columns, "written_bytes")->index, PARTROW_WRITTEN);
	assert_int_equal(list_find_sort(&partrow_columns, "Resident")->index, PARTROW_RESIDENT);
	assert_null(list_find_sort(&partrow_columns, "address"));
	assert_null(list_find_sort(&partrow_columns, "rss_bytes"));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_have_fixed_columns),
		cmocka_unit_test(cells_of_pages_are_always_separated),
		cmocka_unit_test(cells_of_parts_are_always_separated),
		cmocka_unit_test(unknown_quantities_are_absent),
		cmocka_unit_test(csv_has_a_cell_for_each_head),
		cmocka_unit_test(prints_single_pages),
		cmocka_unit_test(prints_parts),
		cmocka_unit_test(finds_fields_by_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
