/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "cli/usage/period.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/number.h"

enum { HOUR_S = 3600, DAYS_SHOWN = 7, MONTHS_SHOWN = 12, FIRST_YEAR = 1970, TM_YEAR = 1900 };

static struct tm local_of(int64_t s)
{
	time_t time = (time_t)s;
	struct tm tm = {.tm_mday = 1};

	localtime_r(&time, &tm);
	return tm;
}

/*
 * Returns the date and time of TM as seconds since the epoch, with the UTC offset that is in force
 * then.
 */
static int64_t second_of(struct tm tm)
{
	tm.tm_isdst = -1;
	return (int64_t)mktime(&tm);
}

static int64_t period_midnight(int64_t s, int days)
{
	struct tm tm = local_of(s);

	tm.tm_hour = tm.tm_min = tm.tm_sec = 0;
	tm.tm_mday += days;
	return second_of(tm);
}

static int64_t period_month(int64_t s, int months)
{
	struct tm tm = local_of(s);

	tm.tm_hour = tm.tm_min = tm.tm_sec = 0;
	tm.tm_mday = 1;
	tm.tm_mon += months;
	return second_of(tm);
}

/*
 * Parses exactly DIGITS digits at *AT, and moves *AT behind them. Returns false if the value is not
 * from MIN to MAX.
 */
static bool period_scan(
	const char **at, size_t digits, unsigned int min, unsigned int max, int *ret)
{
	uint64_t value;

	if (strspn(*at, "0123456789") != digits || number_parse_u64(*at, digits, &value) < 0 ||
		value < min || value > max)
		return false;
	*at += digits;
	*ret = (int)value;
	return true;
}

static bool period_skip(const char **at, const char *any)
{
	if (!**at || !strchr(any, **at))
		return false;
	++*at;
	return true;
}

static bool scan_time(const char *at, struct tm *tm)
{
	if (!period_skip(&at, " T") || !period_scan(&at, 2, 0, 23, &tm->tm_hour) ||
		!period_skip(&at, ":") || !period_scan(&at, 2, 0, 59, &tm->tm_min))
		return false;
	return !*at || (period_skip(&at, ":") && period_scan(&at, 2, 0, 59, &tm->tm_sec) && !*at);
}

/*
 * mktime() turns invalid dates (February 30) into others, so the result must have the same day and
 * month.
 */
static int parse_date(const char *text, int64_t *ret_s)
{
	struct tm tm = {0}, found;
	const char *at = text;
	int64_t s;

	if (!period_scan(&at, 4, FIRST_YEAR, 9999, &tm.tm_year) || !period_skip(&at, "-") ||
		!period_scan(&at, 2, 1, 12, &tm.tm_mon) || !period_skip(&at, "-") ||
		!period_scan(&at, 2, 1, 31, &tm.tm_mday) || (*at && !scan_time(at, &tm)))
		return -EINVAL;
	tm.tm_year -= TM_YEAR;
	tm.tm_mon--;
	s = second_of(tm);
	found = local_of(s);
	if (s < 0 || found.tm_mday != tm.tm_mday || found.tm_mon != tm.tm_mon)
		return -EINVAL;
	*ret_s = s;
	return 0;
}

/* The duration needs a unit, because a bare number may be meant as a year. */
static bool parse_ago(const char *text, int64_t now_s, int64_t *ret_s)
{
	size_t len = strlen(text);
	uint64_t ns;

	if (strspn(text, "0123456789") == len || number_parse_duration(text, len, &ns) < 0 ||
		ns / NS_PER_SEC > (uint64_t)now_s)
		return false;
	*ret_s = now_s - (int64_t)(ns / NS_PER_SEC);
	return true;
}

int period_parse(const char *text, int64_t now_s, int64_t *ret_s)
{

	if (!strcmp(text, "now"))
		*ret_s = now_s;
	else if (!strcmp(text, "today"))
		*ret_s = period_midnight(now_s, 0);
	else if (!strcmp(text, "yesterday"))
		*ret_s = period_midnight(now_s, -1);
	else if (!parse_ago(text, now_s, ret_s))
		return parse_date(text, ret_s);
	return 0;
}

int64_t period_default(enum usage_per per, int64_t until_s)
{
	struct tm tm;
	int64_t s;

	switch (per) {
	case USAGE_PER_DAY: s = period_midnight(until_s - 1, 1 - DAYS_SHOWN); break;
	case USAGE_PER_MONTH: s = period_month(until_s - 1, 1 - MONTHS_SHOWN); break;
	case USAGE_PER_HOUR:
		tm = local_of(until_s - 1);
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
	case USAGE_PER_HOUR: tm = local_of(s); return s - tm.tm_min * 60 - tm.tm_sec + HOUR_S;
	case USAGE_PER_DAY: return period_midnight(s, 1);
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
	struct tm tm = local_of(from_s);

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
