/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of web/sources/moment.h. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include <errno.h>
#include <time.h>

#include "base/clock.h"
#include "web/sources/moment.h"

#define S NS_PER_SEC

enum { NOW = 1800000000 }; /* 2027-01-15 08:00:00 UTC */

static const struct {
	const char *text;
	uint64_t at_ns;
} good[] = {
	{"1700000000", 1700000000 * S + S - 1},
	{"0", S - 1},
	{"1700000000.25", 1700000000 * S + 260000000 - 1},
	{"1700000000.250", 1700000000 * S + 251000000 - 1},
	{"1700000000.123456789", 1700000000 * S + 123456789},
	{"2023-11-14T22:13:20Z", 1700000000 * S + S - 1},
	{"2023-11-14T22:13Z", 1699999980 * S + S - 1},
	{"-15m", (NOW - 900) * S + S - 1},
	{"2023-11-14 22:13:20.250Z", 1700000000 * S + 251000000 - 1},
	{"2023-11-14T23:13:20+01:00", 1700000000 * S + S - 1},
	{"2023-11-14T23:13:20 01:00", 1700000000 * S + S - 1}, /* a "+" that was not encoded */
	{"2023-11-14T20:43:20-01:30", 1700000000 * S + S - 1},
	{"2023-11-14 22:13", 1699999980 * S + S - 1},
	{"15m", (NOW - 900) * S + S - 1},
	{"now", NOW *S + S - 1},
};

static const char *const bad[] = {"", "x", "-1", "1700000000.", "1700000000.1234567890",
	"1700000000s1", "99999999999999999999", "18446744073", "2023-02-30T00:00:00Z",
	"2023-11-14T24:00:00Z", "2023-11-14T22:13:20.Z", "2023-11-14T22:13:20+1:00",
	"2023-11-14T22:13:20Zx", "2023-11-14T22:13:20z", "OOM", "1969-12-31T23:59:59Z"};

static void parses_times(void **state)
{
	struct moment m;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(good); i++)
		if (moment_parse(good[i].text, NOW, &m) != 0 || m.pick != PAST_AT ||
			m.at_ns != good[i].at_ns)
			fail_msg("%s: %llu", good[i].text, (unsigned long long)m.at_ns);
	assert_int_equal(moment_parse("oom", NOW, &m), 0);
	assert_int_equal(m.pick, PAST_OOM);
	assert_int_equal(m.at_ns, NOW * S + S - 1);
}

static void refuses_others(void **state)
{
	struct moment m = {.at_ns = 7};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		if (moment_parse(bad[i], NOW, &m) != -EINVAL)
			fail_msg("'%s'", bad[i]);
	assert_int_equal(m.at_ns, 7);
}

/* The time of a snapshot, with the digits that answers have, is a moment with this snapshot. */
static void the_time_of_a_snapshot_is_in_its_moment(void **state)
{
	char text[CLOCK_TEXT_SIZE];
	struct moment m;

	(void)state;
	for (uint64_t ns = 1700000000 * S; ns < 1700000001 * S; ns += 123456787) {
		clock_format_rfc3339(ns, text);
		assert_int_equal(moment_parse(text, NOW, &m), 0);
		assert_true(m.at_ns >= ns && m.at_ns - ns <= NS_PER_SEC);
	}
}

static void finds_the_parameter(void **state)
{
	static const struct {
		const char *query;
		int result;
	} cases[] = {
		{"", MOMENT_NONE},
		{"sort=at&limit=5", MOMENT_NONE},
		{"limit=5&at=1700000000", 0},
		{"at=2023-11-14T22%3A13%3A20Z&x=1", 0},
		{"at=5&at=6", -EINVAL},
		{"at=yesteryear", -EINVAL},
		{"&&at=5", MOMENT_NONE},
	};
	char error[QUERY_ERROR_SIZE];
	struct moment m;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		if (moment_find(cases[i].query, strlen(cases[i].query), NOW, &m, error) !=
			cases[i].result)
			fail_msg("%s", cases[i].query);
	assert_int_equal(moment_find(NULL, 0, NOW, &m, error), MOMENT_NONE);
}

/* The error lists all forms, and each of them in parentheses is a moment. */
static void the_error_lists_all_forms(void **state)
{
	static const char *const forms[] = {"2026-11-28T03:12:46Z", "1795835566", "2026-11-28",
		"2026-11-28 03:12", "03:12", "today", "yesterday", "yesterday 03:12", "now", "15m",
		"-15m", "oom"};
	char error[QUERY_ERROR_SIZE];
	struct moment m;

	(void)state;
	assert_int_equal(moment_find("at=x", 4, NOW, &m, error), -EINVAL);
	assert_true(strlen(error) < sizeof(error) - 1);
	for (size_t i = 0; i < ARRAY_SIZE(forms); i++) {
		const char *at = strstr(error, forms[i]);
		size_t len = strlen(forms[i]);

		while (at && !strchr(",)", at[len]))
			at = strstr(at + 1, forms[i]);
		if (!at || moment_parse(forms[i], NOW, &m) != 0)
			fail_msg("%s: %s", forms[i], error);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(parses_times),
		cmocka_unit_test(refuses_others),
		cmocka_unit_test(the_time_of_a_snapshot_is_in_its_moment),
		cmocka_unit_test(finds_the_parameter),
		cmocka_unit_test(the_error_lists_all_forms),
	};

	setenv("TZ", "UTC", 1);
	tzset();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
