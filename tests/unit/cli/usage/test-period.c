/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of cli/usage/period.h: hours, days and months of the local time. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include <time.h>

#include "base/cleanup.h"
#include "cli/usage/period.h"

#define NOW INT64_C(1795413600) /* 2026-11-23T06:00:00Z, a Monday: 07:00 in Berlin */

/* POSIX TZ strings, which glibc and musl read without zone files. */
static void live_in(const char *zone)
{
	setenv("TZ", zone, 1);
	tzset();
}

static const char berlin[] = "CET-1CEST,M3.5.0,M10.5.0/3";

static void check_list(enum usage_per per, int64_t from, int64_t to, size_t expected)
{
	AUTO_FREE struct period *list = NULL;
	size_t count = 0;

	assert_int_equal(period_list(per, from, to, &list, &count), 0);
	assert_int_equal(count, expected);
	assert_int_equal(list[0].from_s, from);
	assert_int_equal(list[count - 1].to_s, to);
	for (size_t i = 0; i < count; i++) {
		assert_true(list[i].from_s < list[i].to_s);
		if (i)
			assert_int_equal(list[i].from_s, list[i - 1].to_s);
	}
}

static void periods_are_contiguous(void **state)
{
	struct period *list;
	size_t count;

	(void)state;
	live_in(berlin);
	check_list(USAGE_PER_ALL, NOW - 100, NOW, 1);
	check_list(USAGE_PER_HOUR, NOW - 7200, NOW, 2);
	check_list(USAGE_PER_HOUR, NOW - 7201, NOW + 1, 4);
	check_list(USAGE_PER_DAY, NOW - 7 * 3600, NOW, 1);
	check_list(USAGE_PER_DAY, NOW - 31 * 3600, NOW, 2);
	check_list(USAGE_PER_MONTH, period_default(USAGE_PER_MONTH, NOW), NOW, 12);
	check_list(USAGE_PER_DAY, period_default(USAGE_PER_DAY, NOW), NOW, 7);
	check_list(USAGE_PER_HOUR, period_default(USAGE_PER_HOUR, NOW), NOW, 24);
	check_list(USAGE_PER_HOUR, period_default(USAGE_PER_HOUR, NOW + 1234), NOW + 1234, 24);
	/* Days of 23 and 25 hours: 29 March and 25 October 2026. */
	check_list(USAGE_PER_DAY, 1774738800, 1774738800 + 23 * 3600, 1);
	check_list(USAGE_PER_HOUR, 1774738800, 1774738800 + 23 * 3600, 23);
	check_list(USAGE_PER_DAY, 1792879200, 1792879200 + 25 * 3600, 1);
	check_list(USAGE_PER_HOUR, 1792879200, 1792879200 + 25 * 3600, 25);
	assert_int_equal(period_list(USAGE_PER_HOUR, 0, NOW, &list, &count), -E2BIG);
	assert_int_equal(period_list(USAGE_PER_ALL, NOW, NOW, &list, &count), -EINVAL);
	assert_int_equal(period_default(USAGE_PER_MONTH, 1000), 0);
	/* A time zone with hours that begin at half past. */
	live_in("IST-5:30");
	check_list(USAGE_PER_HOUR, NOW - 1800, NOW + 1800, 1);
	check_list(USAGE_PER_DAY, NOW - NOW % 86400 - 19800, NOW - NOW % 86400 - 19800 + 86400, 1);
}

static void names_periods(void **state)
{
	char name[PERIOD_TEXT_SIZE];

	(void)state;
	live_in(berlin);
	period_name(USAGE_PER_HOUR, NOW, name);
	assert_string_equal(name, "2026-11-23 07:00");
	period_name(USAGE_PER_DAY, NOW, name);
	assert_string_equal(name, "2026-11-23");
	period_name(USAGE_PER_MONTH, NOW, name);
	assert_string_equal(name, "2026-11");
	period_format(NOW, name);
	assert_string_equal(name, "2026-11-23T06:00:00Z");
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(periods_are_contiguous),
		cmocka_unit_test(names_periods),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
