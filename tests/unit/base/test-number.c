/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of base/number.h: strict number parsing. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/number.h"

enum { UNTOUCHED = 777 };

#define MINUTE_NS (60 * NS_PER_SEC)
#define HOUR_NS   (60 * MINUTE_NS)
#define DAY_NS    (24 * HOUR_NS)
#define WEEK_NS   (7 * DAY_NS)

struct number_case {
	const char *text;
	int result; /* expected return value */
	uint64_t value;
};

static void check(const struct number_case *c, size_t count,
	int (*parse)(const char *text, size_t len, uint64_t *ret))
{
	for (size_t i = 0; i < count; i++) {
		/*
		 * Allocated to the exact size and unterminated, so that valgrind finds reads past
		 * the end.
		 */
		size_t len = strlen(c[i].text);
		AUTO_FREE char *text = malloc(len + 1);
		uint64_t value = UNTOUCHED;
		int r;

		assert_non_null(text);
		memcpy(text + 1, c[i].text, len);
		r = parse(text + 1, len, &value);
		if (r != c[i].result)
			print_error("'%s': %d\n", c[i].text, r);
		assert_int_equal(r, c[i].result);
		assert_int_equal(value, r > 0 ? c[i].value : UNTOUCHED);
	}
}

static void scans_decimal(void **state)
{
	static const struct number_case cases[] = {
		{"0", 1, 0},
		{"7", 1, 7},
		{"007", 3, 7},
		{"12 kB", 2, 12},
		{"12\n", 2, 12},
		{"18446744073709551615", 20, UINT64_MAX},
		{"00018446744073709551615x", 23, UINT64_MAX},
		{"18446744073709551616", -ERANGE, 0},
		{"28446744073709551615", -ERANGE, 0},
		{"184467440737095516150", -ERANGE, 0},
		{"99999999999999999999999999999999", -ERANGE, 0},
		{"", 0, UNTOUCHED},
		{" 1", 0, UNTOUCHED},
		{"-1", 0, UNTOUCHED},
		{"+1", 0, UNTOUCHED},
		{"x", 0, UNTOUCHED},
		{"/", 0, UNTOUCHED}, /* the characters next to 0 and 9 */
		{":", 0, UNTOUCHED},
		{"\xb2", 0, UNTOUCHED},
	};

	(void)state;
	check(cases, ARRAY_SIZE(cases), number_scan_u64);
}

static void scans_hexadecimal(void **state)
{
	static const struct number_case cases[] = {
		{"0", 1, 0},
		{"aA", 2, 0xaa},
		{"0123456789abcdef", 16, 0x123456789abcdef},
		{"9ABCDEF", 7, 0x9abcdef},
		{"deadBEEF-", 8, 0xdeadbeef},
		{"00400000-00452000", 8, 0x400000},
		{"ffffffffffffffff", 16, UINT64_MAX},
		{"0ffffffffffffffff", 17, UINT64_MAX},
		{"10000000000000000", -ERANGE, 0},
		{"ffffffffff600000 ", 16, 0xffffffffff600000},
		{"0x1", 1, 0},
		{"", 0, UNTOUCHED},
		{"g", 0, UNTOUCHED},
		{"G", 0, UNTOUCHED},
		{"@", 0, UNTOUCHED},
		{"`", 0, UNTOUCHED},
		{"-1", 0, UNTOUCHED},
	};

	(void)state;
	check(cases, ARRAY_SIZE(cases), number_scan_hex);
}

static void refuses_trailing_text(void **state)
{
	static const struct number_case cases[] = {
		{"0", 0, 0},
		{"0010", 0, 10},
		{"18446744073709551615", 0, UINT64_MAX},
		{"18446744073709551616", -ERANGE, 0},
		{"1 ", -EINVAL, 0},
		{" 1", -EINVAL, 0},
		{"1\n", -EINVAL, 0},
		{"1x", -EINVAL, 0},
		{"-1", -EINVAL, 0},
		{"+1", -EINVAL, 0},
		{"1.0", -EINVAL, 0},
		{"1e3", -EINVAL, 0},
		{"0x10", -EINVAL, 0},
		{"", -EINVAL, 0},
	};
	uint64_t value = UNTOUCHED;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		value = UNTOUCHED;
		assert_int_equal(number_parse_u64(cases[i].text, strlen(cases[i].text), &value),
			cases[i].result);
		assert_int_equal(value, cases[i].result ? UNTOUCHED : cases[i].value);
	}
	assert_int_equal(number_parse_u64("1\0", 2, &value), -EINVAL);
}

static void parses_durations(void **state)
{
	static const struct number_case cases[] = {
		{"0", 0, 0},
		{"10", 0, 10 * NS_PER_SEC},
		{"1ms", 0, NS_PER_MSEC},
		{"1s", 0, NS_PER_SEC},
		{"1m", 0, MINUTE_NS},
		{"1h", 0, HOUR_NS},
		{"1d", 0, DAY_NS},
		{"1w", 0, WEEK_NS},
		{"1h30m", 0, HOUR_NS + 30 * MINUTE_NS},
		{"90m", 0, HOUR_NS + 30 * MINUTE_NS},
		{"1w2d3h4m5s6ms", 0,
			WEEK_NS + 2 * DAY_NS + 3 * HOUR_NS + 4 * MINUTE_NS + 5 * NS_PER_SEC +
				6 * NS_PER_MSEC},
		{"1m1ms", 0, MINUTE_NS + NS_PER_MSEC},
		{"0w0ms", 0, 0},
		{"18446744073709ms", 0, 18446744073709 * NS_PER_MSEC},
		{"18446744073710ms", -ERANGE, 0},
		{"18446744074", -ERANGE, 0},
		{"30501w", -ERANGE, 0},
		{"18446744073s999ms", -ERANGE, 0}, /* each number fits, the sum does not */
		{"18446744073709551616s", -ERANGE, 0},
		{"", -EINVAL, 0},
		{"s", -EINVAL, 0},
		{"1x", -EINVAL, 0},
		{"1us", -EINVAL, 0},
		{"1y", -EINVAL, 0},
		{"1S", -EINVAL, 0},
		{"1sec", -EINVAL, 0},
		{"1.5h", -EINVAL, 0},
		{"-1s", -EINVAL, 0},
		{"1 s", -EINVAL, 0},
		{" 1s", -EINVAL, 0},
		{"1s ", -EINVAL, 0},
		{"1h30", -EINVAL, 0}, /* a bare number only if it is alone */
		{"1w30", -EINVAL, 0},
		{"30m1h", -EINVAL, 0},
		{"1h1h", -EINVAL, 0},
		{"1ms1s", -EINVAL, 0},
		{"1hm", -EINVAL, 0},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		uint64_t value = UNTOUCHED;
		int r = number_parse_duration(cases[i].text, strlen(cases[i].text), &value);

		if (r != cases[i].result)
			print_error("'%s': %d\n", cases[i].text, r);
		assert_int_equal(r, cases[i].result);
		assert_int_equal(value, r ? UNTOUCHED : cases[i].value);
	}
}

/* Every set of units in descending order is a duration, and equals the sum of its parts. */
static void durations_add_up(void **state)
{
	static const struct {
		const char *unit;
		uint64_t ns;
	} units[] = {{"w", WEEK_NS}, {"d", DAY_NS}, {"h", HOUR_NS}, {"m", MINUTE_NS},
		{"s", NS_PER_SEC}, {"ms", NS_PER_MSEC}};
	uint64_t dice = 2;

	(void)state;
	for (unsigned int set = 1; set < 1U << ARRAY_SIZE(units); set++) {
		char text[128];
		uint64_t expected = 0, value;
		size_t len = 0;

		for (size_t i = 0; i < ARRAY_SIZE(units); i++)
			if (set >> i & 1) {
				uint64_t n = unit_random(&dice) % 1000;

				len += (size_t)snprintf(text + len, sizeof(text) - len, "%llu%s",
					(unsigned long long)n, units[i].unit);
				expected += n * units[i].ns;
			}
		assert_int_equal(number_parse_duration(text, len, &value), 0);
		assert_int_equal(value, expected);
	}
}

static void check_round_trip(uint64_t value)
{
	char text[NUMBER_U64_DIGITS], expected[NUMBER_U64_DIGITS + 1];
	size_t len = number_format_u64(value, text);
	uint64_t back;

	snprintf(expected, sizeof(expected), "%llu", (unsigned long long)value);
	assert_int_equal(len, strlen(expected));
	assert_memory_equal(text, expected, len);
	assert_int_equal(number_parse_u64(text, len, &back), 0);
	assert_int_equal(back, value);
}

/* Formatting and parsing are inverse at and next to every power of 2 and of 10. */
static void survives_a_round_trip(void **state)
{
	(void)state;
	for (uint64_t base = 2; base <= 10; base += 8) {
		uint64_t power = 1;

		do {
			check_round_trip(power - 1);
			check_round_trip(power);
			check_round_trip(power + 1);
		} while (!__builtin_mul_overflow(power, base, &power));
	}
	check_round_trip(UINT64_MAX);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(scans_decimal),
		cmocka_unit_test(scans_hexadecimal),
		cmocka_unit_test(refuses_trailing_text),
		cmocka_unit_test(parses_durations),
		cmocka_unit_test(durations_add_up),
		cmocka_unit_test(survives_a_round_trip),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
