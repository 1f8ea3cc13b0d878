/* SPDX-License-Identifier: Apache-2.0 */
/* Tests numbers in text. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include <math.h>

#include "base/clock.h"
#include "render/decimal.h"

static void check_text(struct buffer *b, const char *expected)
{
	assert_int_equal(b->error, 0);
	buffer_add_char(b, '\0');
	assert_string_equal(b->data, expected);
	buffer_clear(b);
}

static void seconds_are_exact(void **state)
{
	static const struct {
		uint64_t ns;
		const char *text;
	} cases[] = {
		{0, "0"},
		{1, "0.000000001"},
		{10, "0.00000001"},
		{100000000, "0.1"},
		{999999999, "0.999999999"},
		{1000000000, "1"},
		{1000000001, "1.000000001"},
		{1020300000, "1.0203"},
		{10000000000, "10"},
		{1700000000123456789, "1700000000.123456789"}, /* not exact as a double */
		{UINT64_MAX, "18446744073.709551615"},
	};
	AUTO_BUFFER struct buffer b = {0};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		decimal_add_seconds(&b, cases[i].ns);
		check_text(&b, cases[i].text);
	}
}

static void reals_are_short(void **state)
{
	static const struct {
		double value;
		const char *text;
	} cases[] = {
		{0, "0"},
		{0.1, "0.1"},
		{0.0025, "0.0025"},
		{1, "1"},
		{60, "60"},
		{1e15, "1000000000000000"},
		{9007199254740991.0, "9007199254740991"},
		{0.1 + 0.2, "0.30000000000000004"},
		{1e22, "1e+22"},
		{123456789.123456, "123456789.123456"},
		{1.7976931348623157e308, "1.7976931348623157e+308"},
		{5e-324, "4.94065645841247e-324"},
	};
	AUTO_BUFFER struct buffer b = {0};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		decimal_add_real(&b, cases[i].value);
		check_text(&b, cases[i].text);
	}
}

static void reals_survive_a_round_trip(void **state)
{
	AUTO_BUFFER struct buffer b = {0};
	uint64_t random = 1;

	(void)state;
	for (unsigned int i = 0; i < unit_rounds(100000); i++) {
		double value = fabs(metric_real(unit_random(&random)));

		if (!isfinite(value))
			continue;
		decimal_add_real(&b, value);
		buffer_add_char(&b, '\0');
		assert_true(strtod(b.data, NULL) == value);
		buffer_clear(&b);
	}
}

static void quantities_go_by_kind(void **state)
{
	AUTO_BUFFER struct buffer b = {0};

	(void)state;
	decimal_add_quantity(&b, METRIC_INTEGER, INT64_MAX);
	check_text(&b, "9223372036854775807");
	decimal_add_quantity(&b, METRIC_NANOSECONDS, 1500 * NS_PER_MSEC);
	check_text(&b, "1.5");
	decimal_add_quantity(&b, METRIC_REAL, metric_real_bits(2.5));
	check_text(&b, "2.5");
	decimal_add_quantity(&b, METRIC_SIGNED, 7);
	check_text(&b, "7");
	decimal_add_quantity(&b, METRIC_SIGNED, (uint64_t)-7);
	check_text(&b, "-7");
	decimal_add_quantity(&b, METRIC_SIGNED, (uint64_t)-INT64_MAX);
	check_text(&b, "-9223372036854775807");
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(seconds_are_exact),
		cmocka_unit_test(reals_are_short),
		cmocka_unit_test(reals_survive_a_round_trip),
		cmocka_unit_test(quantities_go_by_kind),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
