/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of cli/common/past-moment.h: times of the past on the command line. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include <time.h>

#include "base/clock.h"
#include "cli/common/past-moment.h"

#define NOW (UINT64_C(1795413600) * NS_PER_SEC) /* 2026-11-23T06:00:00Z */

static int parse(
	const char *text, struct past_moment *ret, char error[static CLI_OPTION_ERROR_SIZE])
{
	setenv("TZ", "UTC", 1);
	tzset();
	error[0] = '\0';
	return past_moment_parse("--at", text, NOW, ret, error);
}

static void moments_are_past(void **state)
{
	char error[CLI_OPTION_ERROR_SIZE];
	struct past_moment m;

	(void)state;
	assert_int_equal(parse("-15m", &m, error), 0);
	assert_int_equal(m.at_ns, NOW - 900 * NS_PER_SEC);
	assert_false(m.is_oom);
	assert_int_equal(parse("oom", &m, error), 0);
	assert_int_equal(m.at_ns, NOW);
	assert_true(m.is_oom);
	assert_int_equal(parse("now", &m, error), 0);
	assert_int_equal(parse("today 06:01", &m, error), -EINVAL);
	assert_string_equal(error, "--at is in the future; choose an earlier time, such as -15m");
}

/* Options that take seconds take the same texts but oom, and the future. */
static void seconds_are_those_of_moments(void **state)
{
	static const struct {
		const char *text;
		int64_t ago_s;
	} cases[] = {{"now", 0}, {"-15m", 900}, {"15m", 900}, {"05:00", 3600},
		{"2026-11-23 05:00", 3600}, {"2026-11-23", 21600}, {"1795410000", 3600},
		{"2026-11-23 07:00", -3600}, {"2026-11-23T05:00:00Z", 3600}};
	const int64_t now_s = (int64_t)(NOW / NS_PER_SEC);
	char error[CLI_OPTION_ERROR_SIZE] = "";
	int64_t s = 7;

	(void)state;
	setenv("TZ", "UTC", 1);
	tzset();
	assert_int_equal(past_moment_parse_second("--since", "oom", now_s, &s, error), -EINVAL);
	assert_int_equal(s, 7);
	assert_string_equal(error,
		"--since: expected a time of day (03:12), a date (2026-11-01), a date and a time "
		"(\"2026-11-01 08:00\"), a duration ago (-15m), yesterday, today or now, got 'oom'");
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		assert_int_equal(
			past_moment_parse_second("--since", cases[i].text, now_s, &s, error), 0);
		assert_int_equal(s, now_s - cases[i].ago_s);
	}
}

/* A hostile text is cut and leaves the result alone. */
static void other_texts_are_refused(void **state)
{
	static const char *const wrong[] = {"", "OOM", "oom ", "15", "25:00", "--", "\x1b[2J",
		"2026-11-23 05:00:00 and much more text that is longer than anyone would type it"};
	char error[CLI_OPTION_ERROR_SIZE];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
		struct past_moment m = {.at_ns = 7};

		assert_int_equal(parse(wrong[i], &m, error), -EINVAL);
		assert_int_equal(m.at_ns, 7);
		assert_non_null(strstr(error, "--at: expected a time of day (03:12), a date "));
		assert_in_range(strlen(error), 1, 300);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(moments_are_past),
		cmocka_unit_test(seconds_are_those_of_moments),
		cmocka_unit_test(other_texts_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
