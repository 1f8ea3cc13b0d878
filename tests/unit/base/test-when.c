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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_local_times),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
