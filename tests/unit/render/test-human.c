/* SPDX-License-Identifier: Apache-2.0 */
/* Tests amounts, times and percentages for people. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include <math.h>

#include "base/clock.h"
#include "render/human.h"

struct human_case {
	uint64_t value;
	const char *text;
};

static void check(
	const struct human_case *c, size_t count, void (*add)(struct buffer *to, uint64_t value))
{
	for (size_t i = 0; i < count; i++) {
		AUTO_BUFFER struct buffer b = {0};

		add(&b, c[i].value);
		buffer_add_char(&b, '\0');
		assert_int_equal(b.error, 0);
		assert_string_equal(b.data, c[i].text);
	}
}

#define KIB UINT64_C(1024)
#define MIB (KIB * KIB)
#define GIB (MIB * KIB)

static void bytes_have_one_decimal(void **state)
{
	static const struct human_case cases[] = {
		{0, "0.0 KiB"},
		{1, "0.0 KiB"},
		{52, "0.1 KiB"}, /* 0.0508 */
		{51, "0.0 KiB"}, /* 0.0498 */
		{1023, "1.0 KiB"},
		{KIB, "1.0 KiB"},
		{KIB + 512, "1.5 KiB"},
		{MIB - KIB, "1023.0 KiB"},
		{MIB - 52, "1023.9 KiB"},
		{MIB - 51, "1.0 MiB"}, /* never "1024.0 KiB" */
		{MIB, "1.0 MiB"},
		{MIB * 10 + MIB / 4, "10.3 MiB"}, /* halves are rounded up */
		{GIB - 1, "1.0 GiB"},
		{GIB * 15 + GIB * 6 / 10, "15.6 GiB"},
		{GIB * KIB * 3, "3.0 TiB"},
		{GIB * MIB * 7, "7.0 PiB"},
		{GIB * GIB, "1.0 EiB"},
		{UINT64_MAX, "16.0 EiB"},
	};

	(void)state;
	check(cases, ARRAY_SIZE(cases), human_add_bytes);
}

/* The text is within half a tenth of the value, at every size. */
static void bytes_are_rounded_to_nearest(void **state)
{
	static const char units[] = "KMGTPE";
	uint64_t random = 1;

	(void)state;
	for (int i = 0; i < 100000; i++) {
		AUTO_BUFFER struct buffer b = {0};
		uint64_t value = unit_random(&random) >> (unit_random(&random) % 64);
		double shown, unit;
		char *end;

		human_add_bytes(&b, value);
		buffer_add_char(&b, '\0');
		shown = strtod(b.data, &end); /* then " KiB" */
		unit = ldexp(1, 10 * (int)(strchr(units, end[1]) - units + 1));
		assert_true(shown * unit <= (double)value * (1 + 1e-9) + unit * 0.0500001);
		assert_true(shown * unit >= (double)value * (1 - 1e-9) - unit * 0.0500001);
	}
}

static void ranges_have_their_unit_once(void **state)
{
	static const struct {
		uint64_t low, high;
		const char *text; /* NULL: both ends are printed alike */
	} cases[] = {
		{23 * GIB / 10, 68 * GIB / 10, "2.3 to 6.8 GiB"},
		{345 * MIB, 27 * GIB / 10, "345.0 MiB to 2.7 GiB"},
		{0, KIB, "0.0 to 1.0 KiB"},
		{0, MIB, "0.0 KiB to 1.0 MiB"},
		{1000 * MIB, GIB, "1000.0 MiB to 1.0 GiB"},
		{GIB, GIB + 40 * MIB, NULL},
		{MIB - 51, MIB, NULL},
		{KIB, MIB, "1.0 KiB to 1.0 MiB"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		AUTO_BUFFER struct buffer b = {0};

		assert_int_equal(
			human_is_alike(cases[i].low, cases[i].high), cases[i].text == NULL);
		human_add_range(&b, cases[i].low, "to", cases[i].high);
		buffer_add_char(&b, '\0');
		if (cases[i].text)
			assert_string_equal(b.data, cases[i].text);
	}
}

static void ages_are_short(void **state)
{
	static const struct human_case cases[] = {
		{0, "0 s"},
		{999 * NS_PER_MSEC, "0 s"},
		{3 * NS_PER_SEC, "3 s"},
		{59 * NS_PER_SEC, "59 s"},
		{60 * NS_PER_SEC, "1 min 0 s"},
		{125 * NS_PER_SEC, "2 min 5 s"},
		{3599 * NS_PER_SEC, "59 min 59 s"},
		{3600 * NS_PER_SEC, "1 h 0 min"},
		{UINT64_C(11279) * NS_PER_SEC, "3 h 7 min"},
		{UINT64_C(360000) * NS_PER_SEC, "100 h 0 min"},
	};

	(void)state;
	check(cases, ARRAY_SIZE(cases), human_add_age);
}

static void spans_are_short(void **state)
{
	static const struct human_case cases[] = {
		{0, "0 ms"},
		{340000, "0.3 ms"},
		{2 * NS_PER_MSEC, "2 ms"},
		{2500000, "2.5 ms"},
		{41200000, "41 ms"},
		{NS_PER_SEC, "1 s"},
		{1500 * NS_PER_MSEC, "1.5 s"},
		{2040 * NS_PER_MSEC, "2 s"}, /* as 2 s is */
		{2060 * NS_PER_MSEC, "2.1 s"},
		{10 * NS_PER_SEC, "10 s"},
		{59 * NS_PER_SEC, "59 s"},
		{300 * NS_PER_SEC, "5 min 0 s"},
	};

	(void)state;
	check(cases, ARRAY_SIZE(cases), human_add_span);
}

static void spans_are_compared_as_printed(void **state)
{
	static const struct {
		uint64_t a_ns, b_ns;
		bool is_alike;
	} cases[] = {
		{0, 0, true},
		{10 * NS_PER_SEC, 9960 * NS_PER_MSEC, true},
		{10 * NS_PER_SEC, 9 * NS_PER_SEC, false},
		{3 * NS_PER_SEC, 3 * NS_PER_MSEC, false}, /* of the same length, but another unit */
		{300 * NS_PER_SEC, 300999 * NS_PER_MSEC, true},
		{300 * NS_PER_SEC, 301 * NS_PER_SEC, false},
		{NS_PER_SEC, 10 * NS_PER_SEC, false},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		assert_int_equal(
			human_is_span_alike(cases[i].a_ns, cases[i].b_ns), cases[i].is_alike);
		assert_int_equal(
			human_is_span_alike(cases[i].b_ns, cases[i].a_ns), cases[i].is_alike);
	}
}

struct part_case {
	double part;
	const char *text;
};

static void check_parts(
	const struct part_case *c, size_t count, void (*add)(struct buffer *to, double part))
{
	for (size_t i = 0; i < count; i++) {
		AUTO_BUFFER struct buffer b = {0};

		add(&b, c[i].part);
		buffer_add_char(&b, '\0');
		assert_int_equal(b.error, 0);
		assert_string_equal(b.data, c[i].text);
	}
}

static void percents_have_two_digits(void **state)
{
	static const struct part_case cases[] = {
		{0, "0 %"},
		{0.0000001, "under 0.001 %"},
		{0.00001, "0.001 %"},
		{0.000625, "0.062 %"},
		{0.005, "0.5 %"},
		{0.01, "1 %"},
		{0.0123, "1.2 %"},
		{0.0996, "10 %"},
		{0.123, "12 %"},
		{0.99, "99 %"},
		{0.996, "99.6 %"},
		{0.99999, "99.9 %"},
		{1, "100 %"},
		{10, "1000 %"},
	};

	(void)state;
	check_parts(cases, ARRAY_SIZE(cases), human_add_percent);
}

static void needed_budgets_are_rounded_up(void **state)
{
	static const struct part_case cases[] = {
		{0, "0 %"},
		{0.0000001, "under 0.001 %"},
		{0.000621, "0.063 %"},
		{0.01, "1 %"},
		{0.0100001, "1.1 %"},
		{0.010375, "1.1 %"},
		{0.0042, "0.42 %"},
		{0.0231, "2.4 %"},
		{0.0991, "10 %"},
		{0.1201, "13 %"},
		{0.9901, "100 %"},
		{1, "100 %"},
	};

	(void)state;
	check_parts(cases, ARRAY_SIZE(cases), human_add_percent_up);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(bytes_have_one_decimal),
		cmocka_unit_test(bytes_are_rounded_to_nearest),
		cmocka_unit_test(ranges_have_their_unit_once),
		cmocka_unit_test(ages_are_short),
		cmocka_unit_test(spans_are_short),
		cmocka_unit_test(spans_are_compared_as_printed),
		cmocka_unit_test(percents_have_two_digits),
		cmocka_unit_test(needed_budgets_are_rounded_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
