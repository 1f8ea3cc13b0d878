/* SPDX-License-Identifier: Apache-2.0 */
/* Tests the grid of cells: clipping, wide and combining characters, and hostile names. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include <locale.h>

#include "cli/top/cells/grid.h"

static void in_locale(const char *name)
{
	assert_non_null(setlocale(LC_CTYPE, name));
}

static void expect(const struct grid *g, const char *expected)
{
	AUTO_BUFFER struct buffer text = {0};

	grid_render(g, &text);
	buffer_add_char(&text, '\0');
	assert_int_equal(text.error, 0);
	assert_string_equal(text.data, expected);
}

/* No cell has a character that a terminal would not print, and each line has its width. */
static void check_cells(const struct grid *g)
{
	for (size_t y = 0; y < g->height; y++) {
		size_t columns = 0;

		for (size_t x = 0; x < g->width; x++) {
			const struct grid_cell *c = grid_at(g, x, y);

			columns += c->span;
			assert_in_range(c->style, 0, STYLES - 1);
			if (!c->span) {
				assert_true(x && grid_at(g, x - 1, y)->span == 2);
				continue;
			}
			assert_int_equal(wcwidth(c->text[0]), c->span);
			for (size_t i = 1; i < GRID_CHARACTERS && c->text[i]; i++)
				assert_int_equal(wcwidth(c->text[i]), 0);
		}
		assert_int_equal(columns, g->width);
	}
}

static void text_is_clipped(void **state)
{
	static const struct {
		const char *locale;
		size_t x, width;
		const char *text, *expected;
	} cases[] = {
		{"C.UTF-8", 0, 99, "memtally", "memtally\n\n"},
		{"C.UTF-8", 0, 99, "memtally and more", "memtally …\n\n"},
		{"C.UTF-8", 0, 4, "memtally", "mem…\n\n"},
		{"C.UTF-8", 7, 9, "memtally", "       me…\n\n"},
		{"C.UTF-8", 10, 9, "memtally", "\n\n"},
		{"C.UTF-8", 99, 9, "memtally", "\n\n"},
		{"C.UTF-8", 0, 0, "memtally", "\n\n"},
		{"C.UTF-8", 0, 99, "", "\n\n"},
		{"C.UTF-8", 0, 3, "数据库", "数…\n\n"},
		{"C.UTF-8", 8, 3, "数据", "        …\n\n"},
		{"C.UTF-8", 0, 99, "cafe\xcc\x81s", "cafe\xcc\x81s\n\n"},
		/* three combining characters: the cell has room for two */
		{"C.UTF-8", 0, 99, "e\xcc\x81\xcc\x82\xcc\x83s", "e\xcc\x81\xcc\x82s\n\n"},
		/* a combining character without a base */
		{"C.UTF-8", 0, 99, "\xcc\x81s", "s\n\n"},
		{"C.UTF-8", 0, 99, "\x1b[2J", "\\x1b[2J\n\n"},
		{"C.UTF-8", 0, 99, "a\nb\tc\x7f", "a\\x0ab\\x0…\n\n"},
		{"C", 0, 99, "caf\xc3\xa9", "caf\\xc3...\n\n"},
	};
	struct grid g = {0};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		in_locale(cases[i].locale);
		assert_int_equal(grid_begin(&g, 10, 2), 0);
		grid_text(&g, cases[i].x, 0, cases[i].width, STYLE_NORMAL, cases[i].text);
		check_cells(&g);
		expect(&g, cases[i].expected);
	}
	grid_text(&g, 0, 2, 9, STYLE_NORMAL, "below the last line");
	grid_done(&g);
}

static void text_ends_at_the_right(void **state)
{
	struct grid g = {0};

	(void)state;
	in_locale("C.UTF-8");
	assert_int_equal(grid_begin(&g, 10, 3), 0);
	assert_int_equal(grid_text_right(&g, 1, 0, 6, STYLE_NORMAL, "1.2G"), 6);
	grid_text_right(&g, 1, 1, 6, STYLE_NORMAL, "too long");
	grid_text_right(&g, 6, 2, 9, STYLE_NORMAL, "outside");
	check_cells(&g);
	expect(&g, "   1.2G\n too l…\n        ou\n");
	grid_done(&g);
}

/* A text over half of a wide character leaves no other half. */
static void halves_of_wide_characters_become_blanks(void **state)
{
	struct grid g = {0};

	(void)state;
	in_locale("C.UTF-8");
	assert_int_equal(grid_begin(&g, 6, 1), 0);
	grid_text(&g, 0, 0, 6, STYLE_NORMAL, "数据库");
	grid_fill(&g, 1, 0, 2, STYLE_BAD, L'x');
	check_cells(&g);
	expect(&g, " xx 库\n");
	grid_text(&g, 3, 0, 2, STYLE_NORMAL, "数");
	check_cells(&g);
	expect(&g, " xx数\n");
	grid_done(&g);
}

static void styles_are_those_of_the_text(void **state)
{
	struct grid g = {0};

	(void)state;
	in_locale("C.UTF-8");
	assert_int_equal(grid_begin(&g, 6, 1), 0);
	grid_text(&g, 1, 0, 6, STYLE_BAD, "ab");
	grid_restyle(&g, 2, 0, 99, STYLE_SELECTED);
	assert_int_equal(grid_at(&g, 0, 0)->style, STYLE_NORMAL);
	assert_int_equal(grid_at(&g, 1, 0)->style, STYLE_BAD);
	assert_int_equal(grid_at(&g, 2, 0)->style, STYLE_SELECTED);
	assert_int_equal(grid_at(&g, 5, 0)->style, STYLE_SELECTED);
	expect(&g, " ab\n");
	grid_done(&g);
}

/* Random bytes at random places: no byte leaves its cell. */
static void any_bytes_can_be_written(void **state)
{
	static const char *const locales[] = {"C.UTF-8", "C"};
	struct grid g = {0};
	uint64_t random = 7;

	(void)state;
	for (unsigned int i = 0; i < unit_rounds(4000); i++) {
		char text[40] = "";

		in_locale(locales[i % 2]);
		assert_int_equal(
			grid_begin(&g, 1 + unit_random(&random) % 30, 1 + unit_random(&random) % 3),
			0);
		for (unsigned int k = 0; k < 4; k++) {
			for (size_t at = 0; at + 1 < sizeof(text); at++)
				text[at] = (char)(unit_random(&random) >> 8);
			grid_text(&g, unit_random(&random) % 32, unit_random(&random) % 4,
				unit_random(&random) % 32, STYLE_NORMAL, text);
			grid_text_right(&g, unit_random(&random) % 32, unit_random(&random) % 4,
				unit_random(&random) % 32, STYLE_BAD, text);
		}
		check_cells(&g);
	}
	grid_done(&g);
}

/* A pasted grid is clipped, and leaves no half of a wide character at its edges. */
static void grids_are_pasted(void **state)
{
	struct grid g = {0}, from = {0};

	(void)state;
	in_locale("C.UTF-8");
	assert_int_equal(grid_begin(&g, 8, 2), 0);
	assert_int_equal(grid_begin(&from, 4, 3), 0);
	grid_text(&g, 0, 0, 8, STYLE_NORMAL, "数数数数");
	grid_text(&from, 0, 1, 4, STYLE_BAD, "ab数");
	grid_text(&from, 0, 2, 4, STYLE_BAD, "cdef");
	grid_paste(&g, 3, 0, &from, 1, 9);
	check_cells(&g);
	expect(&g, "数 ab数\n   cdef\n");
	assert_int_equal(grid_at(&g, 3, 1)->style, STYLE_BAD);
	grid_paste(&g, 5, 0, &from, 1, 1); /* only three columns of it */
	check_cells(&g);
	expect(&g, "数 abab\n   cdef\n");
	grid_paste(&g, 9, 0, &from, 1, 1);
	grid_paste(&g, 0, 9, &from, 1, 1);
	grid_paste(&g, 0, 0, &from, 9, 1);
	check_cells(&g);
	grid_done(&g);
	grid_done(&from);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(text_is_clipped),
		cmocka_unit_test(text_ends_at_the_right),
		cmocka_unit_test(halves_of_wide_characters_become_blanks),
		cmocka_unit_test(styles_are_those_of_the_text),
		cmocka_unit_test(any_bytes_can_be_written),
		cmocka_unit_test(grids_are_pasted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
