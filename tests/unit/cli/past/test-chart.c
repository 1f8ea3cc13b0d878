/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of cli/past/chart.h: charts of block characters. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include <locale.h>
#include <time.h>

#include "base/clock.h"
#include "cli/past/chart.h"

#define MIB   (UINT64_C(1) << 20)
#define BEGIN (UINT64_C(1795413600) * NS_PER_SEC) /* 2026-11-23T06:00:00Z */
#define AT(s) (BEGIN + (uint64_t)(s)*NS_PER_SEC)

static void check(const char *locale, const struct chart *c, const char *expected)
{
	AUTO_BUFFER struct buffer text = {0};

	assert_non_null(setlocale(LC_CTYPE, locale));
	setenv("TZ", "UTC", 1);
	tzset();
	chart_render(c, &text);
	buffer_add_char(&text, '\0');
	assert_int_equal(text.error, 0);
	assert_string_equal(text.data, expected);
}

/* 20 seconds; the terminal has 30 columns, of which the chart has 20. */
static const struct chart_point points[] = {
	{AT(0), AT(5), 16 * MIB, 0},
	{AT(2), AT(3), 4 * MIB, 0}, /* less than the one before it at the same time */
	{AT(5), AT(10), 8 * MIB, 0},
	/* nothing is known from 10 to 15 */
	{AT(15), AT(16), 1 * MIB, 'O'},
	{AT(16), AT(17), 1, 0},
	{AT(17), AT(30), 12 * MIB, 0},
};

static const struct chart chart = {
	.point = points,
	.points = ARRAY_SIZE(points),
	.from_ns = AT(0),
	.until_ns = AT(20),
	.width = CHART_WIDTH_MIN,
};

static void amounts_are_columns(void **state)
{
	(void)state;
	check("C", &chart,
		"16.0 MiB |#####\n"
		"         |#####\n"
		"         |#####            ###\n"
		"         |#####            ###\n"
		"         |#####            ###\n"
		" 8.0 MiB |##########       ###\n"
		"         |##########       ###\n"
		"         |##########       ###\n"
		"         |##########       ###\n"
		" 0.0 KiB |##########     #_###\n"
		"         |               O\n"
		"          06:00:00    06:00:20\n");
}

static void amounts_are_blocks_in_a_utf8_locale(void **state)
{
	static const struct chart_point half[] = {
		{AT(0), AT(10), 100, 0},
		{AT(10), AT(20), 55, 0},
	};
	const struct chart c = {half, ARRAY_SIZE(half), AT(0), AT(20), CHART_WIDTH_MIN, true};
	AUTO_BUFFER struct buffer text = {0};
	const char *line = NULL;

	(void)state;
	assert_non_null(setlocale(LC_CTYPE, "C.UTF-8"));
	chart_render(&c, &text);
	buffer_add_char(&text, '\0');
	line = strstr(text.data, " 50 ");
	assert_non_null(line);
	/* 55 of 100 are 5.5 of ten lines, and the line of 50 is the fifth: half blocks above it */
	assert_non_null(strstr(text.data, "\xe2\x96\x88\xe2\x96\x84"));
	assert_true(strstr(text.data, "\xe2\x96\x88\xe2\x96\x84") < line);
	assert_non_null(strstr(text.data, "\xe2\x94\x82"));
}

/* The times of a chart have the day if it is not one day's. Amounts of 0 are empty. */
static void a_chart_of_several_days_has_dates(void **state)
{
	static const struct {
		unsigned int from_s, until_s;
		const char *from, *until;
	} cases[] = {
		{0, 3600, " 06:00:00 ", " 07:00:00\n"},
		{0, 86400, " Nov 23 06:00 ", " Nov 24 06:00\n"},
		{64800 - 60, 64800 + 60, " Nov 23 23:59 ", " Nov 24 00:01\n"},
		{0, 86400 * 400, " 2026-11-23 06:00 ", " 2027-12-28 06:00\n"},
	};

	(void)state;
	assert_non_null(setlocale(LC_CTYPE, "C"));
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		uint64_t from_ns = AT(cases[i].from_s), until_ns = AT(cases[i].until_s);
		const struct chart_point zero[] = {{from_ns, until_ns, 0, 0}};
		const struct chart c = {zero, 1, from_ns, until_ns, 60, false};
		AUTO_BUFFER struct buffer text = {0};

		chart_render(&c, &text);
		buffer_add_char(&text, '\0');
		assert_null(strchr(text.data, '#'));
		assert_non_null(strstr(text.data, cases[i].from));
		assert_non_null(strstr(text.data, cases[i].until));
	}
}

/* Points outside, no points and extreme widths and amounts draw nothing wrong. */
static void extreme_charts_stay_within_their_width(void **state)
{
	static const struct chart_point odd[] = {
		{0, AT(0), 5, 'O'},
		{0, UINT64_MAX, UINT64_MAX, 'x'},
		{AT(3), AT(3), 7, 'O'},
		{AT(20), AT(21), 9, 'O'},
	};
	static const size_t widths[] = {0, 1, 30, 79, 400, 1000000};

	(void)state;
	assert_non_null(setlocale(LC_CTYPE, "C"));
	for (size_t i = 0; i < ARRAY_SIZE(widths); i++)
		for (size_t count = 0; count <= ARRAY_SIZE(odd); count++) {
			const struct chart c = {odd, count, AT(0), AT(20), widths[i], false};
			AUTO_BUFFER struct buffer text = {0};
			size_t lines = 0, from = 0;

			chart_render(&c, &text);
			assert_int_equal(text.error, 0);
			for (size_t at = 0; at < text.len; at++)
				if (text.data[at] == '\n') {
					assert_in_range(at - from, 0, CHART_WIDTH_MAX);
					from = at + 1;
					lines++;
				}
			assert_int_equal(lines, CHART_HEIGHT + 1);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(amounts_are_columns),
		cmocka_unit_test(amounts_are_blocks_in_a_utf8_locale),
		cmocka_unit_test(a_chart_of_several_days_has_dates),
		cmocka_unit_test(extreme_charts_stay_within_their_width),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
