/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "base/when.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "base/clock.h"
#include "base/number.h"

enum { FIRST_YEAR = 1970, TM_YEAR = 1900 };

struct tm when_local(int64_t s)
{
	time_t time = (time_t)s;
	struct tm tm = {.tm_mday = 1};

	localtime_r(&time, &tm);
	return tm;
}

int64_t when_second(struct tm tm)
{
	tm.tm_isdst = -1;
	return (int64_t)mktime(&tm);
}

int64_t when_midnight(int64_t s, int days)
{
	struct tm tm = when_local(s);

	tm.tm_hour = tm.tm_min = tm.tm_sec = 0;
	tm.tm_mday += days;
	return when_second(tm);
}

/*
 * Parses exactly DIGITS digits at *AT, and moves *AT behind them. Returns false if the value is not
 * from MIN to MAX.
 */
static bool when_scan(const char **at, size_t digits, unsigned int min, unsigned int max, int *ret)
{
	uint64_t value;

	if (strspn(*at, "0123456789") != digits || number_parse_u64(*at, digits, &value) < 0 ||
		value < min || value > max)
		return false;
	*at += digits;
	*ret = (int)value;
	return true;
}

static bool when_skip(const char **at, const char *any)
{
	if (!**at || !strchr(any, **at))
		return false;
	++*at;
	return true;
}

static bool scan_time(const char *at, struct tm *tm)
{
	if (!when_skip(&at, " T") || !when_scan(&at, 2, 0, 23, &tm->tm_hour) ||
		!when_skip(&at, ":") || !when_scan(&at, 2, 0, 59, &tm->tm_min))
		return false;
	return !*at || (when_skip(&at, ":") && when_scan(&at, 2, 0, 59, &tm->tm_sec) && !*at);
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

	if (!when_scan(&at, 4, FIRST_YEAR, 9999, &tm.tm_year) || !when_skip(&at, "-") ||
		!when_scan(&at, 2, 1, 12, &tm.tm_mon) || !when_skip(&at, "-") ||
		!when_scan(&at, 2, 1, 31, &tm.tm_mday) || (*at && !scan_time(at, &tm)))
		return -EINVAL;
	tm.tm_year -= TM_YEAR;
	tm.tm_mon--;
	s = when_second(tm);
	found = when_local(s);
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

int when_parse(const char *text, int64_t now_s, int64_t *ret_s)
{
	if (!strcmp(text, "now"))
		*ret_s = now_s;
	else if (!strcmp(text, "today"))
		*ret_s = when_midnight(now_s, 0);
	else if (!strcmp(text, "yesterday"))
		*ret_s = when_midnight(now_s, -1);
	else if (!parse_ago(text, now_s, ret_s))
		return parse_date(text, ret_s);
	return 0;
}
