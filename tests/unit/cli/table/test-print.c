/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of cli/table/print.h: tables and prose on a terminal. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include <locale.h>

#include "cli/table/print.h"

static const struct column pss = {.head = "PSS", .kind = COLUMN_COUNT}, left = {.head = "PSS"},
			   uss = {.head = "USS", .drop = 1},
			   swap = {.head = "SWAP", .flags = COLUMN_SPARE},
			   named = {.head = "NAME", .flags = COLUMN_CUT},
			   note = {.head = "NOTE", .flags = COLUMN_NOTE, .drop = 1},
			   remark = {.head = "NOTE"}, field = {.head = "FIELD"},
			   meaning = {.head = "MEANING", .flags = COLUMN_PROSE};

/* Prints a table of two columns, a number and a name, with the given cells. */
static void print(
	const char *const *cells, size_t rows, const char *total, size_t width, struct buffer *to)
{
	AUTO_TABLE struct table t = {
		.column = {{.column = &pss}, {.column = &named}},
		.columns = 2,
		.rows = rows,
		.has_total = total,
	};

	for (size_t i = 0; i < rows * 2; i++) {
		buffer_add_text(&t.text, cells[i]);
		buffer_add_char(&t.text, '\0');
	}
	if (total)
		buffer_add_text(&t.total, total);
	assert_int_equal(print_table(&t, width, to), 0);
	buffer_add_char(to, '\0');
}

static void check(const char *const *cells, size_t rows, const char *total, size_t width,
	const char *expected)
{
	AUTO_BUFFER struct buffer b = {0};

	print(cells, rows, total, width, &b);
	assert_string_equal(b.data, expected);
}

static void columns_are_aligned(void **state)
{
	static const char *const cells[] = {"1.0 MiB", "a", "512.0 KiB", "bc", "1.5 MiB", ""};

	(void)state;
	check(cells, 3, "total of 2 things", 0,
		"      PSS NAME\n"
		"  1.0 MiB a\n"
		"512.0 KiB bc\n"
		"-------------\n"
		"  1.5 MiB total of 2 things\n");
	check(cells, 2, NULL, 0,
		"      PSS NAME\n"
		"  1.0 MiB a\n"
		"512.0 KiB bc\n");
	check(cells, 0, NULL, 0, "");
}

/* A name can neither start a line nor control the terminal. A backslash is printed as it is. */
static void names_cannot_control_the_terminal(void **state)
{
	static const char *const cells[] = {
		"1", "a\nb", "2", "dev-disk\\x2duuid.swap", "3", "  spaced", "4", "\xef\xbf\xbd"};

	(void)state;
	check(cells, 4, NULL, 0,
		"PSS NAME\n"
		"  1 a\\x0ab\n"
		"  2 dev-disk\\x2duuid.swap\n"
		"  3   spaced\n"
		"  4 \xef\xbf\xbd\n");
}

static void names_are_cut_on_a_terminal_only(void **state)
{
	char name[301];
	const char *const cells[] = {"1", name, "2", "short", "3", ""};
	AUTO_BUFFER struct buffer wide = {0};
	AUTO_BUFFER struct buffer narrow = {0};

	(void)state;
	memset(name, 'x', sizeof(name) - 1);
	name[sizeof(name) - 1] = 0;
	print(cells, 3, "total", 0, &wide);
	assert_non_null(strstr(wide.data, name));
	print(cells, 3, "total", 40, &narrow);
	assert_string_equal(narrow.data, "PSS NAME\n"
					 "  1 xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…\n"
					 "  2 short\n"
					 "-------\n"
					 "  3 total\n");
}

/* Prints one row with a name of 30 columns, a column of zeros and one that may disappear. */
static void print_optional(size_t width, struct buffer *to)
{
	AUTO_TABLE struct table t = {
		.column = {{.column = &left}, {.column = &swap}, {.column = &uss, .is_used = true},
			{.column = &named}},
		.columns = 4,
		.rows = 1,
	};
	static const char text[] = "1\0"
				   "0\0"
				   "2\0"
				   "a-name-of-thirty-columns-as-is";

	buffer_add(&t.text, text, sizeof(text));
	assert_int_equal(print_table(&t, width, to), 0);
	buffer_add_char(to, '\0');
}

/* A column of zeros gives way to a whole name, another column only to its first 24 columns. */
static void columns_give_way_to_names(void **state)
{
	static const struct {
		size_t width;
		const char *expected;
	} cases[] = {
		{43, "PSS SWAP USS NAME\n1   0    2   a-name-of-thirty-columns-as-is\n"},
		{42, "PSS USS NAME\n1   2   a-name-of-thirty-columns-as-is\n"},
		{37, "PSS USS NAME\n1   2   a-name-of-thirty-columns-as-…\n"},
		{32, "PSS USS NAME\n1   2   a-name-of-thirty-column…\n"},
		{31, "PSS NAME\n1   a-name-of-thirty-columns-a…\n"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		AUTO_BUFFER struct buffer b = {0};

		print_optional(cases[i].width, &b);
		assert_string_equal(b.data, cases[i].expected);
	}
}

/* No line is wider than the terminal; the text continues on the next line. */
static void prose_is_wrapped_on_a_terminal(void **state)
{
	static const char *const cells[] = {"1", "", "2", ""};
	AUTO_TABLE struct table t = {
		.column = {{.column = &field}, {.column = &meaning}},
		.columns = 2,
		.rows = 1,
	};
	static const char text[] = "pss\0what processes use of memory, shared parts divided";
	AUTO_BUFFER struct buffer b = {0}, whole = {0};

	(void)state;
	buffer_add(&t.text, text, sizeof(text));
	assert_int_equal(print_table(&t, 30, &b), 0);
	buffer_add_char(&b, '\0');
	assert_string_equal(b.data, "FIELD MEANING\n"
				    "pss   what processes use of\n"
				    "      memory, shared parts\n"
				    "      divided\n");
	assert_int_equal(print_table(&t, 0, &whole), 0);
	buffer_add_char(&whole, '\0');
	assert_non_null(strstr(whole.data, "what processes use of memory, shared parts divided\n"));
	check(cells, 2, "total of 2 things, 1 not measured", 20,
		"PSS NAME\n"
		"  1\n"
		"-------\n"
		"  2\n"
		"total of 2 things,\n"
		"1 not measured\n");
}

/* Wide characters occupy two columns. */
static void width_counts_wide_characters(void **state)
{
	AUTO_TABLE struct table t = {
		.column = {{.column = &named}, {.column = &remark}},
		.columns = 2,
		.rows = 2,
	};
	static const char cells[] = "数据\0x\0abcd\0y";
	AUTO_BUFFER struct buffer b = {0};

	(void)state;
	buffer_add(&t.text, cells, sizeof(cells));
	assert_int_equal(print_table(&t, 0, &b), 0);
	buffer_add_char(&b, '\0');
	assert_string_equal(b.data, "NAME NOTE\n数据 x\nabcd y\n");
}

/* libsmartcols counts more than one column for a backslash before an x. */
static void width_counts_printed_characters(void **state)
{
	static const char cells[] =
		"a\\x2db of a unit\0x\0c\nd of a program\0y\0abcdef of a group\0z";
	static const struct {
		size_t width;
		const char *expected;
	} cases[] = {
		{0, "NAME                NOTE\na\\x2db of a unit    x\nc\\x0ad of a program y\nabcdef of a group   z\n"},
		{24, "NAME                NOTE\na\\x2db of a unit    x\nc\\x0ad of a program y\nabcdef of a group   z\n"},
		{23, "NAME               NOTE\na\\x2db of a unit   x\nc\\x0ad of a progr… y\nabcdef of a group  z\n"},
		{21, "NAME             NOTE\na\\x2db of a unit x\nc\\x0ad of a pro… y\nabcdef of a gro… z\n"},
		{10, "NAME             NOTE\na\\x2db of a unit x\nc\\x0ad of a pro… y\nabcdef of a gro… z\n"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		AUTO_TABLE struct table t = {
			.column = {{.column = &named}, {.column = &remark}},
			.columns = 2,
			.rows = 3,
		};
		AUTO_BUFFER struct buffer b = {0};

		buffer_add(&t.text, cells, sizeof(cells));
		assert_int_equal(print_table(&t, cases[i].width, &b), 0);
		buffer_add_char(&b, '\0');
		assert_string_equal(b.data, cases[i].expected);
	}
}

/* A row is dim only if its note says why, so that colour alone means nothing. */
static void heads_are_bold_and_rows_with_notes_dim(void **state)
{
	static const char cells[] = "1\0one\0\0"
				    "2\0two\0denied\0"
				    "3\0\0";
	static const struct {
		size_t width;
		const char *expected;
	} cases[] = {
		{0, "\033[1mPSS NAME NOTE\033[0m\n"
		    "  1 one\n"
		    "\033[2m  2 two  denied\033[0m\n"
		    "------------\n"
		    "  3 total\n"},
		{10, "\033[1mPSS NAME\033[0m\n"
		     "  1 one\n"
		     "  2 two\n"
		     "-------\n"
		     "  3 total\n"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		AUTO_TABLE struct table t = {
			.column = {{.column = &pss}, {.column = &named}, {.column = &note}},
			.columns = 3,
			.rows = 3,
			.has_total = true,
			.has_styles = true,
		};
		AUTO_BUFFER struct buffer b = {0};

		buffer_add(&t.text, cells, sizeof(cells));
		buffer_add_text(&t.total, "total");
		assert_int_equal(print_table(&t, cases[i].width, &b), 0);
		buffer_add_char(&b, '\0');
		assert_string_equal(b.data, cases[i].expected);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(columns_are_aligned),
		cmocka_unit_test(names_cannot_control_the_terminal),
		cmocka_unit_test(names_are_cut_on_a_terminal_only),
		cmocka_unit_test(columns_give_way_to_names),
		cmocka_unit_test(prose_is_wrapped_on_a_terminal),
		cmocka_unit_test(width_counts_wide_characters),
		cmocka_unit_test(width_counts_printed_characters),
		cmocka_unit_test(heads_are_bold_and_rows_with_notes_dim),
	};

	setlocale(LC_CTYPE, "C.UTF-8");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
