/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "cli/usage/period.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>

#include "base/cleanup.h"
#include "base/when.h"

enum { HOUR_S = 3600, DAYS_SHOWN = 7, MONTHS_SHOWN = 12 };

static int64_t period_month(int64_t s, int months)
{
	struct tm tm = when_local(s);

	tm.tm_hour = tm.tm_min = tm.tm_sec = 0;
	tm.tm_mday = 1;
	tm.tm_mon += months;
	return when_second(tm);
}

int64_t period_default(enum usage_per per, int64_t until_s)
{
	struct tm tm;
	int64_t s;

	switch (per) {
	case USAGE_PER_DAY: s = when_midnight(until_s - 1, 1 - DAYS_SHOWN); break;
	case USAGE_PER_MONTH: s = period_month(until_s - 1, 1 - MONTHS_SHOWN); break;
	case USAGE_PER_HOUR:
		tm = when_local(until_s - 1);
		s = until_s - 1 - tm.tm_min * 60 - tm.tm_sec - 23 * HOUR_S;
		break;
	default: s = until_s - 24 * HOUR_S;
	}
	return s > 0 ? s : 0;
}

/* Returns the end of the hour, day or month that contains S. */
static int64_t end_of(enum usage_per per, int64_t s)
{
	struct tm tm;

	switch (per) {
	case USAGE_PER_HOUR: tm = when_local(s); return s - tm.tm_min * 60 - tm.tm_sec + HOUR_S;
	case USAGE_PER_DAY: return when_midnight(s, 1);
	case USAGE_PER_MONTH: return period_month(s, 1);
	default: return INT64_MAX;
	}
}

int period_list(
	enum usage_per per, int64_t from_s, int64_t to_s, struct period **ret, size_t *ret_count)
{
	AUTO_FREE struct period *list = calloc(PERIODS_MAX, sizeof(*list));
	size_t count = 0;

	if (!list)
		return -ENOMEM;
	if (from_s >= to_s)
		return -EINVAL;
	while (from_s < to_s) {
		int64_t end_s = end_of(per, from_s);

		if (count == PERIODS_MAX)
			return -E2BIG;
		if (end_s <= from_s) /* the time zone has invalid rules */
			return -EINVAL;
		if (end_s > to_s)
			end_s = to_s;
		list[count++] = (struct period){.from_s = from_s, .to_s = end_s};
		from_s = end_s;
	}
	*ret = TAKE_PTR(list);
	*ret_count = count;
	return 0;
}

void period_name(enum usage_per per, int64_t from_s, char to[static PERIOD_TEXT_SIZE])
{
	static const char *const formats[] = {
		[USAGE_PER_ALL] = "%Y-%m-%d %H:%M",
		[USAGE_PER_HOUR] = "%Y-%m-%d %H:%M",
		[USAGE_PER_DAY] = "%Y-%m-%d",
		[USAGE_PER_MONTH] = "%Y-%m",
	};
	struct tm tm = when_local(from_s);

	if (!strftime(to, PERIOD_TEXT_SIZE, formats[per], &tm))
		to[0] = 0;
}

void period_format(int64_t s, char to[static PERIOD_TEXT_SIZE])
{
	time_t time = (time_t)s;
	struct tm tm = {.tm_mday = 1};

	gmtime_r(&time, &tm);
	if (!strftime(to, PERIOD_TEXT_SIZE, "%Y-%m-%dT%H:%M:%SZ", &tm))
		to[0] = 0;
}
