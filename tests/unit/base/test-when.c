/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of base/when.h: points in time that users type. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include <errno.h>
#include <time.h>

#include "base/cleanup.h"
#include "base/when.h"

#define NOW INT64_C(1795413600) /* 2026-11-23T06:00:00Z, a Monday: 07:00 in Berlin */

/* POSIX TZ strings, which glibc and musl read without zone files. */
static void live_in(const char *zone)
{
	setenv("TZ", zone, 1);
	tzset();
}

static const char berlin[] = "CET-1CEST,M3.5.0,M10.5.0/3";

static void reads_local_times(void **state)
{
	static const struct {
		const char *text;
		int64_t expected;
	} cases[] = {
		{"now", NOW},
		{"today", NOW - 7 * 3600},
		{"yesterday", NOW - 31 * 3600},
		{"36h", NOW - 36 * 3600},
		{"1d12h", NOW - 36 * 3600},
		{"90s", NOW - 90},
		{"2026-11-23", NOW - 7 * 3600},
		{"2026-11-23 08:00", NOW + 3600},
		{"2026-11-23T08:00:30", NOW + 3630},
		{"2026-07-01 00:00", INT64_C(1782856800)}, /* in daylight saving time */
		{"1970-01-02", 82800},
	};
	static const char *const wrong[] = {"", "tomorrow", "7", "2026", "2026-1-1", "2026-13-01",
		"2026-02-30", "2026-11-23 ", "2026-11-23 8:00", "2026-11-23 24:00",
		"2026-11-23 08:00:", "2026-11-23x", "1969-12-31", "-1h", "1h ", "100000w",
		"20261123", "2026-11-23 08:00:00Z", "99999999999999999999"};
	int64_t s = 0;

	(void)state;
	live_in(berlin);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		if (when_parse(cases[i].text, NOW, &s) != 0 || s != cases[i].expected)
			fail_msg("%s is %lld", cases[i].text, (long long)s);
	}
	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++)
		if (when_parse(wrong[i], NOW, &s) != -EINVAL)
			fail_msg("'%s' is taken", wrong[i]);
}

#define MS  UINT64_C(1000000)
#define SEC UINT64_C(1000000000)

/* The last nanosecond of the second S after NOW. */
#define END(s) ((uint64_t)(NOW + (s) + 1) * SEC - 1)

/* 500 ms after NOW, so that NOW's second is not over. */
#define NOW_NS ((uint64_t)NOW * SEC + 500 * MS)

/* A moment in seconds is the end of its second, since texts of times are rounded down. */
static void reads_moments(void **state)
{
	static const struct {
		const char *text;
		uint64_t expected_ns;
	} cases[] = {
		{"now", NOW_NS}, {"-15m", NOW_NS - 900 * SEC}, {"15m", NOW_NS - 900 * SEC},
		{"-1500ms", NOW_NS - 1500 * MS}, {"today", END(-7 * 3600)},
		{"2026-11-23 06:30", END(-1800)},
		{"2026-11-23 08:00", END(3600)}, /* in the future */
		{"03:12", END(-4 * 3600 + 12 * 60)}, {"03:12:46", END(-4 * 3600 + 12 * 60 + 46)},
		{"07:00", NOW_NS}, /* it has begun and is not over */
		{"07:01", END(60 - 86400)}, {"23:59:59", END(-7 * 3600 - 1)},
		{"yesterday 03:12", END(-4 * 3600 + 12 * 60 - 86400)},
		{"yesterday 23:00", END(-8 * 3600)}, {"today 03:12", END(-4 * 3600 + 12 * 60)},
		{"today 08:00", END(3600)}, {"2026-11-23T05:00:00Z", END(-3600)},
		{"2026-11-23T05:00:00.123Z", (uint64_t)(NOW - 3600) * SEC + 124 * MS - 1},
		{"2026-11-23T05:00:00.5Z", (uint64_t)(NOW - 3600) * SEC + 600 * MS - 1},
		{"2026-11-23T05:00:00.123456789Z", (uint64_t)(NOW - 3600) * SEC + 123456789},
		{"2026-11-23T06:00:00+01:00", END(-3600)},
		{"2026-11-23 03:30:00-01:30", END(-3600)}, {"2026-11-23T05:00Z", END(-3600)},
		{"1795410000", END(-3600)},
		{"1795410000.25", (uint64_t)(NOW - 3600) * SEC + 260 * MS - 1},
		{"1795413600", NOW_NS}, {"1795413601", END(1)}, /* in the future */
	};
	static const char *const wrong[] = {"", "-", "--15m", "-15", "15", "oom", "2026",
		"20261123", "999999999", "1795410000.", "1795410000x", "-1795410000",
		"9999999999999", "99999999999999999999", "3:12", "24:00", "03:60", "03:12:60",
		"03:12:", "03:12 ", " 03:12", "03:12Z", "tomorrow 03:12", "yesterday  03:12",
		"yesterday -1h", "-yesterday", "-03:12", "2026-02-30T00:00:00Z",
		"2026-11-23T05:00:00.Z", "2026-11-23T05:00:00.1234567890Z",
		"2026-11-23T05:00:00+1:00", "2026-11-23T05:00:00z", "2026-11-23Z",
		"1970-01-01T00:00:00+01:00", "2262-04-12T00:00:00Z", "9999-12-31", "-3000w",
		"-100000w"};
	uint64_t ns = 0;

	(void)state;
	live_in(berlin);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		if (when_parse_moment(cases[i].text, NOW_NS, &ns) != 0 ||
			ns != cases[i].expected_ns)
			fail_msg("%s is %llu", cases[i].text, (unsigned long long)ns);
	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++)
		if (when_parse_moment(wrong[i], NOW_NS, &ns) != -EINVAL)
			fail_msg("'%s' is taken", wrong[i]);
}

static void writes_local_times(void **state)
{
	char text[WHEN_TEXT_SIZE];
	uint64_t ns = 0;

	(void)state;
	live_in(berlin);
	when_format(NOW_NS, text);
	assert_string_equal(text, "2026-11-23 07:00:00");
	assert_int_equal(when_parse_moment(text, NOW_NS + SEC, &ns), 0);
	assert_int_equal(ns, END(0));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_local_times),
		cmocka_unit_test(reads_moments),
		cmocka_unit_test(writes_local_times),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
