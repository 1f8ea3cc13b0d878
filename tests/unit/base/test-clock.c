/* SPDX-License-Identifier: Apache-2.0 */
/* Tests clocks and the formatting of times. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include "base/cleanup.h"
#include "base/clock.h"

static void formats_rfc3339(void **state)
{
	static const struct {
		uint64_t seconds, ns;
		const char *text;
	} cases[] = {
		{0, 0, "1970-01-01T00:00:00.000Z"},
		{0, 999999, "1970-01-01T00:00:00.000Z"}, /* cut, never rounded up */
		{0, 999999999, "1970-01-01T00:00:00.999Z"},
		{951782400, 1000000, "2000-02-29T00:00:00.001Z"},
		{1136214245, 20000000, "2006-01-02T15:04:05.020Z"},
		{2147483648, 0, "2038-01-19T03:14:08.000Z"},
		{4102444799, 500000000, "2099-12-31T23:59:59.500Z"},
		{18446744073, 709551615, "2554-07-21T23:34:33.709Z"}, /* UINT64_MAX */
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char text[CLOCK_TEXT_SIZE + 1];

		memset(text, '#', sizeof(text));
		clock_format_rfc3339(cases[i].seconds * NS_PER_SEC + cases[i].ns, text);
		assert_string_equal(text, cases[i].text);
		assert_int_equal(text[CLOCK_TEXT_SIZE], '#');
	}
}

/* In UTC, whatever the host's time zone is. */
static void ignores_the_zone(void **state)
{
	char text[CLOCK_TEXT_SIZE];

	(void)state;
	setenv("TZ", "EST-11:30", 1);
	tzset();
	clock_format_rfc3339(0, text);
	assert_string_equal(text, "1970-01-01T00:00:00.000Z");
}

static void goes_forward(void **state)
{
	uint64_t last = clock_now_ns(CLOCK_MONOTONIC);

	(void)state;
	assert_true(last > 0);
	for (int i = 0; i < 1000; i++) {
		uint64_t now = clock_now_ns(CLOCK_MONOTONIC);

		assert_true(now >= last);
		last = now;
	}
}

static void is_in_nanoseconds(void **state)
{
	uint64_t now = clock_now_ns(CLOCK_REALTIME);

	(void)state;
	assert_in_range(now / NS_PER_SEC, (uint64_t)time(NULL) - 2, (uint64_t)time(NULL) + 2);
	assert_true(clock_now_ns(CLOCK_BOOTTIME) >= clock_now_ns(CLOCK_MONOTONIC) - NS_PER_SEC);
}

static void an_unknown_clock_stands_still(void **state)
{
	(void)state;
	assert_int_equal(clock_now_ns((clockid_t)1000), 0);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(formats_rfc3339),
		cmocka_unit_test(ignores_the_zone),
		cmocka_unit_test(goes_forward),
		cmocka_unit_test(is_in_nanoseconds),
		cmocka_unit_test(an_unknown_clock_stands_still),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
