/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of cli/table/mapline.h: lines of columns. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include "cli/table/mapline.h"

static const char *text_of(struct mapline *l)
{
	l->text[l->len] = '\0';
	return l->text;
}

static void numbers_are_right_aligned(void **state)
{
	static const struct {
		uint64_t value;
		size_t width;
		const char *text;
	} cases[] = {
		{0, 4, "   0"},
		{7, 0, "7"},
		{10, 3, " 10"},
		{123456, 4, "123456"},
		{UINT64_MAX, MAPLINE_BYTES_WIDTH, "18446744073709551615"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct mapline l = {0};

		mapline_add_number(&l, cases[i].value, cases[i].width);
		assert_string_equal(text_of(&l), cases[i].text);
	}
}

static void signs_precede_numbers(void **state)
{
	static const struct {
		int64_t value;
		size_t width;
		const char *text;
	} cases[] = {
		{0, 2, " 0"},
		{5, 4, "  +5"},
		{-5, 4, "  -5"},
		{-123, 2, "-123"},
		{INT64_MAX, 9, "+9223372036854775807"},
		{INT64_MIN, 9, "-9223372036854775808"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct mapline l = {0};

		mapline_add_signed(&l, cases[i].value, cases[i].width);
		assert_string_equal(text_of(&l), cases[i].text);
	}
}

/*
 * Addresses have eight digits or more, as the kernel prints them. The permissions begin at the
 * same column for up to twelve digits.
 */
static void addresses_have_fixed_columns(void **state)
{
	static const struct {
		uint64_t start, end;
		const char *text;
	} cases[] = {
		{0, 0x1000, "00000000-00001000         rw-s"},
		{0x7f0123456000, 0x7f0123457000, "7f0123456000-7f0123457000 rw-s"},
		{0xffffffffff600000, 0xffffffffff601000, "ffffffffff600000-ffffffffff601000 rw-s"},
	};
	struct mapline head = {0};

	(void)state;
	mapline_add_place_head(&head);
	assert_string_equal(text_of(&head), "ADDRESS                   PERM");
	assert_int_equal(head.len, MAPLINE_PLACE_WIDTH);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct mapping_table_row row = {
			.start = cases[i].start, .end = cases[i].end, .perms = "rw-s"};
		struct mapline l = {0};

		mapline_add_place(&l, &row);
		assert_string_equal(text_of(&l), cases[i].text);
	}
}

/*
 * A cell that is wider than its column moves the following ones, which return to their columns as
 * soon as there is room.
 */
static void cells_are_always_separated(void **state)
{
	struct mapline l;

	(void)state;
	mapline_begin(&l);
	mapline_add_number(&l, 123456789, 9);
	mapline_add_number(&l, 21474836480, 9);
	mapline_add_right(&l, "-", 9);
	mapline_add_signed(&l, -7, 9);
	mapline_add_left(&l, "left", 9);
	mapline_add_right(&l, "right", 9);
	assert_string_equal(text_of(&l), "123456789 21474836480     -       -7 left        right");
}

static void left_aligned_cells_are_always_separated(void **state)
{
	struct mapline l;

	(void)state;
	mapline_begin(&l);
	mapline_add_left(&l, "longer", 4);
	mapline_add_left(&l, "a", 4);
	mapline_add_left(&l, "b", 4);
	mapline_add_number(&l, UINT64_MAX, 4);
	mapline_add_number(&l, UINT64_MAX, 4);
	assert_string_equal(text_of(&l), "longer a b 18446744073709551615 18446744073709551615");
}

/* The longest possible line. */
static void longest_line_fits(void **state)
{
	const struct mapping_table_row row = {
		.start = UINT64_MAX, .end = UINT64_MAX, .perms = "rwxs"};
	struct mapline l = {0};

	(void)state;
	mapline_add_number(&l, UINT64_MAX, MAPLINE_PID_WIDTH);
	mapline_add_char(&l, ' ');
	mapline_add_place(&l, &row);
	for (unsigned int i = 0; i < MAPCOLUMNS + 1; i++)
		mapline_add_signed(&l, INT64_MIN, MAPLINE_BYTES_WIDTH);
	assert_in_range(l.len, MAPLINE_MAX / 4, MAPLINE_MAX - MAPLINE_BYTES_WIDTH - 2);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_are_right_aligned),
		cmocka_unit_test(signs_precede_numbers),
		cmocka_unit_test(addresses_have_fixed_columns),
		cmocka_unit_test(cells_are_always_separated),
		cmocka_unit_test(left_aligned_cells_are_always_separated),
		cmocka_unit_test(longest_line_fits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
