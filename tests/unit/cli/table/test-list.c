/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests of cli/table/list.h and cli/table/column.h: one table of columns as a table, lines, JSON
 * and CSV.
 */
#include "config.h"

#include "tests/unit/support/unit.h"

#include <jansson.h>

#include "cli/table/list.h"
#include "tests/unit/support/faults/allocation.h"
#include "tests/unit/support/faults/full.h"

enum { KIB = 1024 };

struct thing {
	const char *name, *words;
	uint64_t bytes, count, swap, at;
	int64_t change;
	double part;
	bool is_old, lacks_count;
};

enum { NAME, WORDS, BYTES, COUNT, SWAP, AT, CHANGE, PART, OLD, SPAN, FORM };
enum { NARROW = 1 << 0, OLD_ONES = 1 << 1 };

static bool get(
	const struct list *l, const struct column *c, const void *row, struct column_value *ret)
{
	const struct thing *t = row;

	switch (c->index) {
	case NAME:
		ret->after = t->is_old ? " [old]" : NULL;
		buffer_add_text(ret->room, t->name);
		return column_use_room(ret);
	case WORDS: ret->text = t->words; return t->words;
	case BYTES: ret->number = t->bytes; return true;
	case COUNT:
		ret->number = t->count;
		ret->before = t->is_old ? ">" : NULL;
		return !t->lacks_count;
	case SWAP: ret->number = t->swap; return true;
	case AT: ret->number = t->at; return true;
	case CHANGE: ret->change = t->change; return true;
	case PART: ret->real = t->part; return true;
	case SPAN: ret->number = t->count * 500000000; return true;
	case FORM: ret->number = l->form; return true;
	default: ret->number = t->is_old; return true;
	}
}

static const struct column columns[] = {
	{"NAME", "name", COLUMN_TEXT, get, NAME, .place = 9, .width = 8, .flags = COLUMN_CUT},
	{NULL, "words", COLUMN_WORDS, get, WORDS, .csv_place = 1},
	{"PSS", "pss_bytes", COLUMN_BYTES, get, BYTES, .flags = COLUMN_SUM | COLUMN_SORT},
	{"COUNT", "count", COLUMN_COUNT, get, COUNT, .drop = 1, .flags = COLUMN_SUM | COLUMN_SORT,
		.width = 6},
	{"SWAP", "swap_bytes", COLUMN_BYTES, get, SWAP, .flags = COLUMN_SUM | COLUMN_SPARE},
	{"AT", "at", COLUMN_ADDRESS, get, AT, .drop = 2, .width = 13},
	{"CHANGE", "change_bytes", COLUMN_CHANGE, get, CHANGE, .forms = LIST_LINES | LIST_JSON},
	{NULL, "part_ratio", COLUMN_RATIO, get, PART},
	{NULL, "span_seconds", COLUMN_SECONDS, get, SPAN},
	{"OLD", "old", COLUMN_FLAG, get, OLD, .only = OLD_ONES, .flags = COLUMN_SORT},
	{NULL, "form", COLUMN_COUNT, get, FORM, .forms = LIST_SUMS, .flags = COLUMN_SUM},
};

static const struct thing things[] = {
	{.name = "=a,\"b\"\\",
		.words = "rd wr",
		.bytes = 1536 * KIB,
		.count = 3,
		.at = 0x1000,
		.change = -2 * KIB,
		.part = 0.25,
		.is_old = true},
	{.name = "a long name of a program",
		.bytes = 512 * KIB,
		.lacks_count = true,
		.at = 0x7f0012345678,
		.change = 5 * KIB,
		.part = 1},
	{.name = "'q;\xef\xbc\x9d", .bytes = 0, .count = 1, .change = 0},
};

static const struct thing total = {.bytes = 2048 * KIB, .count = 4, .lacks_count = true};

static const struct columns all_columns = {columns, ARRAY_SIZE(columns)};

struct options {
	enum list_form form;
	unsigned int variant;
	bool bytes, has_total, has_styles;
	size_t limit, width;
	const char *sort;
};

static int print(const struct options *o, struct buffer *to)
{
	AUTO_LIST struct list l = {.column = columns,
		.columns = ARRAY_SIZE(columns),
		.form = o->form,
		.to = to,
		.variant = o->variant,
		.bytes = o->bytes,
		.limit = o->limit,
		.width = o->width,
		.has_styles = o->has_styles};
	AUTO_BUFFER struct buffer beside = {0};
	int r = 0;

	if (o->sort)
		l.sort = list_find_sort(&all_columns, o->sort);
	list_begin(&l);
	for (size_t i = 0; r == 0 && i < ARRAY_SIZE(things); i++)
		r = list_add(&l, &things[i]);
	if (r < 0)
		return r;
	assert_int_equal(l.rows, ARRAY_SIZE(things));
	buffer_printf(&beside, "total of %zu, %zu shown", l.rows, l.shown);
	if (o->has_total)
		list_total(&l, &total, &beside);
	return list_end(&l);
}

static void check(const struct options *o, const char *expected)
{
	AUTO_BUFFER struct buffer text = {0};

	assert_int_equal(print(o, &text), 0);
	buffer_add_char(&text, '\0');
	assert_string_equal(text.data, expected);
}

static void draws_a_table(void **state)
{
	(void)state;
	check(&(struct options){.form = LIST_TABLE, .has_total = true},
		"      PSS COUNT    SWAP AT           NAME\n"
		"  1.5 MiB    >3 0.0 KiB 000000001000 =a,\"b\"\\ [old]\n"
		"512.0 KiB     - 0.0 KiB 7f0012345678 a long name of a program\n"
		"  0.0 KiB     1 0.0 KiB 000000000000 'q;\\xef\\xbc\\x9d\n"
		"----------------------------------------\n"
		"  2.0 MiB     - 0.0 KiB total of 3, 3 shown\n");
	check(&(struct options){.form = LIST_TABLE,
		      .bytes = true,
		      .limit = 1,
		      .variant = OLD_ONES,
		      .has_total = true},
		"    PSS COUNT SWAP AT           OLD NAME\n"
		"1572864    >3    0 000000001000 yes =a,\"b\"\\ [old]\n"
		"---------------------------------------\n"
		"2097152     -    0 total of 3, 1 shown\n");
}

/*
 * First goes the column without any value, then those with the highest order; the one that rows are
 * sorted by stays. A name is cut only when no more columns may go.
 */
static void columns_disappear_in_order(void **state)
{
	static const struct {
		size_t width;
		const char *sort, *head, *name;
	} cases[] = {
		{61, NULL, "      PSS COUNT    SWAP AT           NAME\n",
			"a long name of a program\n"},
		{60, NULL, "      PSS COUNT AT           NAME\n", "a long name of a program\n"},
		{53, NULL, "      PSS COUNT AT           NAME\n", "a long name of a program\n"},
		{52, NULL, "      PSS COUNT NAME\n", "a long name of a program\n"},
		{40, NULL, "      PSS COUNT NAME\n", "a long name of a program\n"},
		{39, NULL, "      PSS NAME\n", "a long name of a program\n"},
		{39, "count", "      PSS COUNT NAME\n", "a long name of a pro...\n"},
		{30, NULL, "      PSS NAME\n", "a long name of a ...\n"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct options o = {
			.form = LIST_TABLE, .width = cases[i].width, .sort = cases[i].sort};
		AUTO_BUFFER struct buffer text = {0};

		assert_int_equal(print(&o, &text), 0);
		buffer_add_char(&text, '\0');
		if (strncmp(text.data, cases[i].head, strlen(cases[i].head)) != 0 ||
			!strstr(text.data, cases[i].name))
			fail_msg("case %zu:\n%s", i, text.data);
	}
}

/* JSON and CSV are for programs. */
static void styles_are_for_people(void **state)
{
	static const struct {
		enum list_form form;
		bool is_bold;
	} cases[] = {{LIST_TABLE, true}, {LIST_LINES, true}, {LIST_JSON, false}, {LIST_CSV, false}};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		AUTO_BUFFER struct buffer plain = {0}, styled = {0};

		assert_int_equal(print(&(struct options){.form = cases[i].form}, &plain), 0);
		assert_int_equal(print(&(struct options){.form = cases[i].form, .has_styles = true},
					 &styled),
			0);
		assert_int_equal(styled.len - plain.len, cases[i].is_bold ? 8 : 0);
		assert_int_equal(!strncmp(styled.data, "\033[1m ", 5), cases[i].is_bold);
	}
}

/* A wide cell moves the next ones. Amounts are in KiB, or exact. */
static void draws_lines(void **state)
{
	(void)state;
	check(&(struct options){.form = LIST_LINES, .has_total = true},
		"      PSS COUNT     SWAP AT              CHANGE NAME\n"
		"     1536    >3        0 000000001000        -2 =a,\"b\"\\ [old]\n"
		"      512     -        0 7f0012345678        +5 a long name of a program\n"
		"        0     1        0 000000000000         0 'q;\\xef\\xbc\\x9d\n"
		"------------------------\n"
		"     2048     -        0 total of 3, 3 shown\n");
	check(&(struct options){.form = LIST_LINES, .bytes = true, .limit = 1},
		"           PSS COUNT          SWAP AT                   CHANGE NAME\n"
		"       1572864    >3             0 000000001000          -2048 =a,\"b\"\\ [old]\n");
}

/* As in a table; but a spare column stays, because a later row may use it. */
static void lines_lose_columns_in_order(void **state)
{
	(void)state;
	check(&(struct options){.form = LIST_LINES, .limit = 1, .width = 72},
		"      PSS COUNT     SWAP AT              CHANGE NAME\n"
		"     1536    >3        0 000000001000        -2 =a,\"b\"\\ [old]\n");
	check(&(struct options){.form = LIST_LINES, .limit = 2, .width = 54},
		"      PSS COUNT     SWAP   CHANGE NAME\n"
		"     1536    >3        0       -2 =a,\"b\"\\ [old]\n"
		"      512     -        0       +5 a long name of a ...\n");
	check(&(struct options){.form = LIST_LINES, .limit = 2, .width = 40, .has_total = true},
		"      PSS     SWAP   CHANGE NAME\n"
		"     1536        0       -2 =a,\"b\"\\ [old]\n"
		"      512        0       +5 a long name o...\n"
		"------------------\n"
		"     2048        0 total of 3, 2 shown\n");
	check(&(struct options){.form = LIST_LINES, .limit = 1, .width = 40, .sort = "count"},
		"      PSS COUNT     SWAP   CHANGE NAME\n"
		"     1536    >3        0       -2 =a,\"b\"\\ [old]\n");
}

static void writes_csv(void **state)
{
	(void)state;
	check(&(struct options){.form = LIST_CSV, .limit = 2, .has_total = true},
		"name,pss_bytes,count,swap_bytes,at,part_ratio,span_seconds,words\n"
		"\"'=a,\"\"b\"\"\\\",1572864,3,0,00001000,0.25,1.5,rd wr\n"
		"a long name of a program,524288,,0,7f0012345678,1,0,\n");
}

/* Rows with values of the kinds, and with the flags, that no thing has. */
struct other {
	const char *digits, *prose, *path;
	int64_t owed;
	double mean;
};

static bool get_other(
	const struct list *l, const struct column *c, const void *row, struct column_value *ret)
{
	const struct other *o = row;

	(void)l;
	switch (c->kind) {
	case COLUMN_DIGITS: ret->text = o->digits; return true;
	case COLUMN_SIGNED: ret->change = o->owed; return true;
	case COLUMN_REAL: ret->real = o->mean; return true;
	default: ret->text = c->flags & COLUMN_PATH ? o->path : o->prose; return true;
	}
}

static const struct column other_columns[] = {
	{"DIGITS", "digits", COLUMN_DIGITS, get_other, .width = 21, .flags = COLUMN_SPARE},
	{"OWED", "owed_bytes", COLUMN_SIGNED, get_other, .flags = COLUMN_SPARE},
	{"MEAN", "mean", COLUMN_REAL, get_other, .width = 5, .decimals = 1, .flags = COLUMN_SPARE},
	{"PATH", "path", COLUMN_TEXT, get_other, .width = 12, .flags = COLUMN_PATH},
	{"PROSE", "prose", COLUMN_TEXT, get_other, .width = 8, .flags = COLUMN_PROSE},
};

static void check_others(const struct other *row, size_t rows, enum list_form form, size_t width,
	const char *expected)
{
	AUTO_BUFFER struct buffer text = {0};
	AUTO_LIST struct list l = {.column = other_columns,
		.columns = ARRAY_SIZE(other_columns),
		.form = form,
		.to = &text,
		.width = width};

	list_begin(&l);
	for (size_t i = 0; i < rows; i++)
		assert_int_equal(list_add(&l, &row[i]), 0);
	assert_int_equal(list_end(&l), 0);
	buffer_add_char(&text, '\0');
	assert_string_equal(text.data, expected);
}

static void draws_other_kinds(void **state)
{
	static const struct other rows[] = {
		{"18446744073709551616.5", "more than all", "/usr/lib/a.so", -3 * KIB, 2.25},
		{"0", "", "/b", 2 * KIB, 0},
	};
	static const struct other long_row = {"1", "more than all of it there is",
		"/usr/lib/x86_64/liblong.so.6", -3 * KIB, 2.25};

	(void)state;
	check_others(rows, 2, LIST_TABLE, 0,
		"                DIGITS     OWED MEAN PATH          PROSE\n"
		"18446744073709551616.5 -3.0 KiB  2.2 /usr/lib/a.so more than all\n"
		"                     0  2.0 KiB  0.0 /b\n");
	check_others(rows, 2, LIST_TABLE, 60,
		"                DIGITS     OWED MEAN PATH          PROSE\n"
		"18446744073709551616.5 -3.0 KiB  2.2 /usr/lib/a.so more than all\n"
		"                     0  2.0 KiB  0.0 /b\n");
	check_others(&long_row, 1, LIST_TABLE, 60,
		"DIGITS     OWED MEAN PATH                PROSE\n"
		"     1 -3.0 KiB  2.2 ..._64/liblong.so.6 more than all of it\n"
		"                                         there is\n");
	check_others(&long_row, 1, LIST_TABLE, 40,
		"DIGITS     OWED MEAN PATH             PROSE\n"
		"     1 -3.0 KiB  2.2 .../liblong.so.6 more than all of\n"
		"                                      it there is\n");
	check_others(rows, 2, LIST_LINES, 0,
		"               DIGITS     OWED MEAN PATH        PROSE\n"
		"18446744073709551616.5      -3  2.2 /usr/lib/a.so more than all\n"
		"                    0        2  0.0 /b          \n");
	check_others(rows, 2, LIST_JSON, 0,
		"{\"digits\":18446744073709551616.5,\"owed_bytes\":-3072,\"mean\":2.25,"
		"\"path\":\"/usr/lib/a.so\",\"prose\":\"more than all\"},"
		"{\"digits\":0,\"owed_bytes\":2048,\"mean\":0,\"path\":\"/b\",\"prose\":\"\"}");
	check_others(rows, 2, LIST_CSV, 0,
		"digits,owed_bytes,mean,path,prose\n"
		"18446744073709551616.5,-3072,2.25,/usr/lib/a.so,more than all\n"
		"0,2048,0,/b,\n");
}

/* Whatever the kind of 0, a spare column of zeros is the first to go. */
static void zeros_of_each_kind_may_go(void **state)
{
	static const struct other zeros[] = {{"0", "", "/b", 0, 0}, {"-0.00", "", "/b", 0, -0.0}};
	static const struct other digits = {"0.01", "", "/b", 0, 0}, owed = {"0", "", "/b", -1, 0},
				  mean = {"0", "", "/b", 0, -0.5};

	(void)state;
	check_others(zeros, 2, LIST_TABLE, 12, "PATH PROSE\n/b\n/b\n");
	check_others(&digits, 1, LIST_TABLE, 12, "DIGITS PATH PROSE\n  0.01 /b\n");
	check_others(&owed, 1, LIST_TABLE, 12, "    OWED PATH PROSE\n-0.0 KiB /b\n");
	check_others(&mean, 1, LIST_TABLE, 12, "MEAN PATH PROSE\n-0.5 /b\n");
}

/* Reads back a cell of CSV: returns the text that was written, in TO. */
static void read_cell(const char *cell, size_t len, struct buffer *to)
{
	bool is_quoted = len && *cell == '"';

	if (is_quoted) {
		assert_true(len > 1 && cell[len - 1] == '"');
		cell++;
		len -= 2;
	}
	if (len && *cell == '\'') {
		cell++;
		len--;
	}
	for (size_t i = 0; i < len; i++) {
		if (cell[i] == '"')
			assert_true(is_quoted && cell[++i] == '"');
		assert_true(is_quoted || !strchr(",;\t\r\n", cell[i]));
		buffer_add_char(to, cell[i]);
	}
	buffer_add_char(to, '\0');
}

/* No name starts a formula, ends a cell or a line; each can be read back. */
static void csv_of_hostile_names_is_harmless(void **state)
{
	static const char *const names[] = {"", "=1+1", "+1", "-1", "@a", "'", "''a", "\"", "\"\"",
		"a\"b", "a,b", "a;b", "a\nb", "\r\n", "\tx", "=\"a\",\"b\"", "\xef\xbc\x9dz",
		"\xef\xbc\x8bz", "\xef\xbc\x8dz", "\xef\xbc\xa0z", "plain", "-,\"\n"};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		AUTO_BUFFER struct buffer cell = {0}, back = {0};
		const char *first;

		column_add_csv_text(&cell, names[i]);
		buffer_add_char(&cell, '\0');
		first = cell.data + (*cell.data == '"');
		assert_true(!*first || !strchr("=+-@\t\r\n", *first));
		assert_true(strncmp(first, "\xef\xbc", 2) != 0);
		read_cell(cell.data, cell.len - 1, &back);
		assert_string_equal(back.data, names[i]);
	}
}

static void writes_json(void **state)
{
	AUTO_BUFFER struct buffer text = {0};
	json_t *json, *row;

	(void)state;
	buffer_add_char(&text, '[');
	assert_int_equal(
		print(&(struct options){.form = LIST_JSON, .variant = OLD_ONES}, &text), 0);
	buffer_add_char(&text, ']');
	json = json_loadb(text.data, text.len, JSON_REJECT_DUPLICATES, NULL);
	assert_non_null(json);
	assert_int_equal(json_array_size(json), ARRAY_SIZE(things));
	for (size_t i = 0; i < ARRAY_SIZE(things); i++)
		assert_string_equal(
			json_string_value(json_object_get(json_array_get(json, i), "name")),
			things[i].name);
	row = json_array_get(json, 0);
	assert_string_equal(json_string_value(json_object_get(row, "at")), "00001000");
	assert_int_equal(json_array_size(json_object_get(row, "words")), 2);
	assert_true(json_is_true(json_object_get(row, "old")));
	assert_int_equal(json_integer_value(json_object_get(row, "change_bytes")), -2 * KIB);
	assert_null(json_object_get(row, "form"));
	row = json_array_get(json, 1);
	assert_null(json_object_get(row, "count"));
	assert_null(json_object_get(row, "words"));
	json_decref(json);
}

/* However many blanks stand around them. */
static void words_are_an_array(void **state)
{
	static const struct column words = {.kind = COLUMN_WORDS};
	static const char *const cases[][3] = {
		{"", "[]", ""},
		{" ", "[]", ""},
		{" a", "[\"a\"]", "a"},
		{"a ", "[\"a\"]", "a"},
		{"a  b", "[\"a\",\"b\"]", "a,b"},
		{" rd wr mr ", "[\"rd\",\"wr\",\"mr\"]", "rd,wr,mr"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct column_value v = {.text = cases[i][0]};
		AUTO_BUFFER struct buffer json = {0}, shown = {0};

		column_add_json(&json, &words, &v);
		buffer_add_char(&json, '\0');
		assert_string_equal(json.data, cases[i][1]);
		column_add_shown(&shown, &words, &v, false);
		buffer_add_char(&shown, '\0');
		assert_string_equal(shown.data, cases[i][2]);
	}
}

static int add_more(const struct list *l, const void *row, struct buffer *to)
{
	(void)l;
	buffer_printf(to, ",\"more\":%s", row == &things[0] ? "1" : "2");
	return to->error;
}

static void writes_members_and_sums(void **state)
{
	AUTO_BUFFER struct buffer text = {0};
	AUTO_LIST struct list l = {.column = &columns[2],
		.columns = 1,
		.form = LIST_JSON,
		.to = &text,
		.add_members = add_more};

	(void)state;
	list_begin(&l);
	assert_int_equal(list_add(&l, &things[0]), 0);
	assert_int_equal(list_add(&l, &things[1]), 0);
	l.columns = 0;
	list_add_sums(&l, &total, &text);
	l.column = columns;
	l.columns = ARRAY_SIZE(columns);
	list_add_sums(&l, &things[0], &text);
	buffer_add_char(&text, '\0');
	assert_string_equal(text.data,
		"{\"pss_bytes\":1572864,\"more\":1},{\"pss_bytes\":524288,\"more\":2}"
		"{}{\"pss_bytes\":1572864,\"count\":3,\"swap_bytes\":0,\"form\":16}");
}

/* A list in a row, which fills the buffer that both lists have. */
static int add_list(const struct list *outer, const void *row, struct buffer *to)
{
	AUTO_LIST struct list l = {
		.column = outer->column, .columns = 1, .form = LIST_JSON, .to = to};
	int r = 0;

	buffer_add_text(to, ",\"things\":[");
	list_begin(&l);
	for (size_t i = 0; r == 0 && i < 64 * KIB; i++)
		r = list_add(&l, row);
	buffer_add_char(to, ']');
	return r;
}

/* An error of a list in a row ends both lists: nothing is written after it. */
static void returns_errors_of_output(void **state)
{
	AUTO_BUFFER struct buffer text = {0};
	AUTO_LIST struct list l = {.column = &columns[2],
		.columns = 1,
		.form = LIST_JSON,
		.to = &text,
		.add_members = add_list};
	int r;

	(void)state;
	list_begin(&l);
	full_begin();
	r = list_add(&l, &things[0]);
	assert_int_equal(full_end(), 1);
	assert_int_equal(r, -ENOSPC);
}

static void sorts_by_shown_names(void **state)
{
	static const struct {
		const char *name;
		size_t column; /* ARRAY_SIZE(columns): none */
	} cases[] = {
		{"PSS", 2},
		{"pss", 2},
		{"pss_bytes", 2},
		{"PSS_bytes", 2},
		{"Count", 3},
		{"name", ARRAY_SIZE(columns)},
		{"old", 9},
		{"", ARRAY_SIZE(columns)},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		assert_ptr_equal(list_find_sort(&all_columns, cases[i].name),
			cases[i].column < ARRAY_SIZE(columns) ? &columns[cases[i].column] : NULL);
}

static void returns_errors_without_memory(void **state)
{
	(void)state;
	for (unsigned int form = LIST_TABLE; form <= LIST_CSV; form <<= 1) {
		unsigned int n = 0;

		for (bool failed = true; failed;) {
			const struct options o = {
				.form = (enum list_form)form, .width = 20, .has_total = true};
			AUTO_BUFFER struct buffer text = {0};
			int r;

			allocation_fail_at(++n);
			r = print(&o, &text);
			failed = allocation_end();
			assert_int_equal(r, failed ? -ENOMEM : 0);
		}
		assert_true(n > 2);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(draws_a_table),
		cmocka_unit_test(columns_disappear_in_order),
		cmocka_unit_test(styles_are_for_people),
		cmocka_unit_test(draws_lines),
		cmocka_unit_test(lines_lose_columns_in_order),
		cmocka_unit_test(writes_csv),
		cmocka_unit_test(draws_other_kinds),
		cmocka_unit_test(zeros_of_each_kind_may_go),
		cmocka_unit_test(csv_of_hostile_names_is_harmless),
		cmocka_unit_test(writes_json),
		cmocka_unit_test(words_are_an_array),
		cmocka_unit_test(writes_members_and_sums),
		cmocka_unit_test(returns_errors_of_output),
		cmocka_unit_test(sorts_by_shown_names),
		cmocka_unit_test(returns_errors_without_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
