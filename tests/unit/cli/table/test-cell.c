/* SPDX-License-Identifier: Apache-2.0 */
/* Tests the printing of cells to a terminal: control characters, width, and shortening. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include <locale.h>

#include "cli/table/cell.h"

static void in_locale(const char *name)
{
	assert_non_null(setlocale(LC_CTYPE, name));
}

static void check(struct buffer *b, const char *expected)
{
	buffer_add_char(b, '\0');
	assert_int_equal(b->error, 0);
	assert_string_equal(b->data, expected);
	buffer_clear(b);
}

/* No character starts a line or controls a terminal. */
static void text_becomes_printable(void **state)
{
	static const struct {
		const char *locale, *text, *expected;
	} cases[] = {
		{"C.UTF-8", "", ""},
		{"C.UTF-8", "  bash ", "  bash "},
		{"C.UTF-8", "a\nb\x1b[2J\x7f\t", "a\\x0ab\\x1b[2J\\x7f\\x09"},
		{"C.UTF-8", "dev-disk\\x2duuid.swap\\", "dev-disk\\x2duuid.swap\\"},
		{"C.UTF-8", "数据\xef\xbf\xbd", "数据\xef\xbf\xbd"},
		/* a combining character has no column of its own */
		{"C.UTF-8", "e\xcc\x81", "e\xcc\x81"},
		{"C.UTF-8", "a\xc2\x9b", "a\\xc2\\x9b"}, /* CSI as one 8-bit character */
		/* an invalid byte, and half of a character */
		{"C.UTF-8", "a\xff\xe6\x95", "a\\xff\\xe6\\x95"},
		{"C", "é\n", "\\xc3\\xa9\\x0a"},
	};
	AUTO_BUFFER struct buffer b = {0};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		in_locale(cases[i].locale);
		cell_add_printable(&b, cases[i].text);
		check(&b, cases[i].expected);
	}
}

static void cut_text_ends_with_an_ellipsis(void **state)
{
	static const struct {
		const char *locale, *text;
		size_t width;
		const char *expected;
	} cases[] = {
		{"C.UTF-8", "memtally", 9, "memtally"},
		{"C.UTF-8", "memtally", 8, "memtally"},
		{"C.UTF-8", "memtally", 7, "memtal…"},
		{"C.UTF-8", "memtally", 2, "m…"},
		{"C.UTF-8", "memtally", 1, "m"}, /* no room for the ellipsis as well */
		{"C.UTF-8", "memtally", 0, ""},
		{"C.UTF-8", "", 0, ""},
		{"C.UTF-8", "数据库", 6, "数据库"},
		{"C.UTF-8", "数据库", 5, "数据…"},
		{"C.UTF-8", "数据库", 4, "数…"}, /* the wide character leaves one column unused */
		{"C.UTF-8", "数据库", 3, "数…"},
		{"C.UTF-8", "數", 1, ""},
		{"C.UTF-8", "cafe\xcc\x81s", 5, "cafe\xcc\x81s"},
		{"C.UTF-8", "cafe\xcc\x81s", 4, "caf…"},
		/* keeps a combining character with its base */
		{"C.UTF-8", "cafe\xcc\x81ss", 5, "cafe\xcc\x81…"},
		{"C", "memtally", 8, "memtally"},
		{"C", "memtally", 7, "memt..."},
		{"C", "memtally", 6, "mem..."},
		{"C", "memtally", 5, "memta"},
		{"C", "memtally", 0, ""},
	};
	AUTO_BUFFER struct buffer b = {0};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		in_locale(cases[i].locale);
		cell_add_cut(&b, cases[i].text, cases[i].width);
		check(&b, cases[i].expected);
	}
}

static void the_end_of_a_text_is_kept(void **state)
{
	static const struct {
		const char *locale, *text;
		size_t width;
		const char *expected;
	} cases[] = {
		{"C.UTF-8", "/lib/a.so", 9, "/lib/a.so"},
		{"C.UTF-8", "/lib/a.so", 8, "…ib/a.so"},
		{"C.UTF-8", "/lib/a.so", 2, "…o"},
		{"C.UTF-8", "/lib/a.so", 1, "o"},
		{"C.UTF-8", "/lib/a.so", 0, ""},
		{"C.UTF-8", "数据库", 5, "…据库"},
		{"C.UTF-8", "数据库", 4, "…库"}, /* the wide character leaves one column unused */
		{"C.UTF-8", "cafe\xcc\x81ss", 4, "…e\xcc\x81ss"},
		/* no combining character without its base */
		{"C.UTF-8", "cafe\xcc\x81ss", 3, "…ss"},
		{"C", "/lib/a.so", 8, ".../a.so"},
		{"C", "/lib/a.so", 5, "/a.so"},
	};
	AUTO_BUFFER struct buffer b = {0};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		in_locale(cases[i].locale);
		cell_add_end(&b, cases[i].text, cases[i].width);
		check(&b, cases[i].expected);
	}
}

static void bars_have_eighths_of_columns(void **state)
{
	static const struct {
		const char *locale;
		double part;
		const char *expected;
	} cases[] = {
		{"C", 0, ""},
		{"C", 0.12, ""},
		{"C", 0.13, "#"},
		{"C", 0.5, "##"},
		{"C", 1, "####"},
		{"C.UTF-8", 0, ""},
		{"C.UTF-8", 1.0 / 32, "▏"},
		{"C.UTF-8", 7.0 / 32, "▉"},
		{"C.UTF-8", 8.0 / 32, "█"},
		{"C.UTF-8", 12.4 / 32, "█▌"},
		{"C.UTF-8", 1, "████"},
	};
	AUTO_BUFFER struct buffer b = {0};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		in_locale(cases[i].locale);
		cell_add_bar(&b, cases[i].part, 4);
		check(&b, cases[i].expected);
	}
}

static void lines_break_at_blanks(void **state)
{
	static const struct {
		const char *text;
		size_t at, width;
		const char *expected;
	} cases[] = {
		{"", 0, 10, ""},
		{"memory of a host", 0, 0, "memory of a host"},
		{"memory of a host", 5, 0, " memory of a host"},
		{"memory of a host", 0, 16, "memory of a host"},
		{"memory of a host", 0, 15, "memory of a\nhost"},
		{"memory of a host", 0, 11, "memory of a\nhost"},
		{"memory of a host", 0, 10, "memory of\na host"},
		{"memory of a host", 0, 6, "memory\nof a\nhost"},
		{"memory of a host", 3, 10, " memory\nof a host"},
		{"memory of a host", 3, 9, "\nmemory of\na host"},
		{"memory of a host", 30, 9, "\nmemory of\na host"},
		{"memory of a host", 0, 4, "memo\nry\nof a\nhost"}, /* a word as wide as the line */
		{"memory", 0, 3, "mem\nory"},
		{"of memory", 2, 3, "\nof\nmem\nory"},
		{"of a", 0, 1, "o\nf\na"},
	};
	AUTO_BUFFER struct buffer b = {0};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		cell_add_folded(
			&b, cases[i].text, strlen(cases[i].text), cases[i].at, cases[i].width);
		check(&b, cases[i].expected);
	}
}

/* A phrase that a line has room for is not broken. */
static void lines_break_between_phrases(void **state)
{
	static const struct {
		const char *text;
		size_t at, width;
		const char *expected;
	} cases[] = {
		{"total of 3, ab cd, e", 3, 0, " total of 3, ab cd, e"},
		{"total of 3, ab cd, e", 3, 16, " total of 3,\nab cd, e"},
		{"total of 3, ab cd, e", 8, 16, "\ntotal of 3,\nab cd, e"},
		{"total of 3, ab cd, e", 3, 22, " total of 3, ab cd,\ne"},
		{"total of 3, ab cd, e", 3, 8, "\ntotal of\n3,\nab cd, e"},
		{"", 3, 8, ""},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		AUTO_BUFFER struct buffer b = {0}, text = {0};

		buffer_add_text(&text, cases[i].text);
		cell_add_phrases(&b, &text, cases[i].at, cases[i].width);
		check(&b, cases[i].expected);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(text_becomes_printable),
		cmocka_unit_test(cut_text_ends_with_an_ellipsis),
		cmocka_unit_test(the_end_of_a_text_is_kept),
		cmocka_unit_test(bars_have_eighths_of_columns),
		cmocka_unit_test(lines_break_at_blanks),
		cmocka_unit_test(lines_break_between_phrases),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
