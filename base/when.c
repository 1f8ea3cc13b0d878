/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "base/when.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "base/clock.h"
#include "base/number.h"

enum {
	FIRST_YEAR = 1970,
	TM_YEAR = 1900,
	LEAST_SECONDS = 1000000000, /* of the year 2001: less may be meant as a year or a date */
};

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

/* Parses "03:12" or "03:12:46" at *AT, and moves *AT behind it. */
static bool scan_clock(const char **at, struct tm *tm)
{
	if (!when_scan(at, 2, 0, 23, &tm->tm_hour) || !when_skip(at, ":") ||
		!when_scan(at, 2, 0, 59, &tm->tm_min))
		return false;
	return !when_skip(at, ":") || when_scan(at, 2, 0, 59, &tm->tm_sec);
}

static bool scan_time(const char *at, struct tm *tm)
{
	return when_skip(&at, " T") && scan_clock(&at, tm) && !*at;
}

/* Parses a date at *AT, and moves *AT behind it. */
static bool scan_date(const char **at, struct tm *tm)
{
	if (!when_scan(at, 4, FIRST_YEAR, 9999, &tm->tm_year) || !when_skip(at, "-") ||
		!when_scan(at, 2, 1, 12, &tm->tm_mon) || !when_skip(at, "-") ||
		!when_scan(at, 2, 1, 31, &tm->tm_mday))
		return false;
	tm->tm_year -= TM_YEAR;
	tm->tm_mon--;
	return true;
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

	if (!scan_date(&at, &tm) || (*at && !scan_time(at, &tm)))
		return -EINVAL;
	s = when_second(tm);
	found = when_local(s);
	if (s < 0 || found.tm_mday != tm.tm_mday || found.tm_mon != tm.tm_mon)
		return -EINVAL;
	*ret_s = s;
	return 0;
}

/* The duration needs a unit, because a bare number may be meant as a year. */
static bool scan_ago(const char *text, uint64_t *ret_ns)
{
	size_t len = strlen(text);

	return strspn(text, "0123456789") != len && number_parse_duration(text, len, ret_ns) == 0;
}

static bool parse_ago(const char *text, int64_t now_s, int64_t *ret_s)
{
	uint64_t ns;

	if (!scan_ago(text, &ns) || ns / NS_PER_SEC > (uint64_t)now_s)
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

/* Moves *TEXT behind WORD and a blank, if it begins with them. */
static bool skip_word(const char **text, const char *word)
{
	size_t len = strlen(word);

	if (strncmp(*text, word, len) != 0 || (*text)[len] != ' ')
		return false;
	*text += len + 1;
	return true;
}

/* Returns the second of the time of day CLOCK on the local day that is DAYS after that of NOW_S. */
static int64_t second_of(const struct tm *clock, int64_t now_s, int days)
{
	struct tm tm = when_local(now_s);

	tm.tm_hour = clock->tm_hour;
	tm.tm_min = clock->tm_min;
	tm.tm_sec = clock->tm_sec;
	tm.tm_mday += days;
	return when_second(tm);
}

/* Parses a time of day: of today or yesterday, or the last one until NOW_S. */
static bool parse_clock(const char *text, int64_t now_s, int64_t *ret_s)
{
	bool is_yesterday = skip_word(&text, "yesterday");
	bool is_today = !is_yesterday && skip_word(&text, "today");
	struct tm clock = {0};

	if (!scan_clock(&text, &clock) || *text)
		return false;
	*ret_s = second_of(&clock, now_s, is_yesterday ? -1 : 0);
	if (!is_yesterday && !is_today && *ret_s > now_s)
		*ret_s = second_of(&clock, now_s, -1);
	return *ret_s >= 0;
}

/* Parses "Z" or an offset such as "+01:00", the rest of a text, as seconds. */
static bool scan_offset(const char *at, int64_t *ret_s)
{
	int64_t sign = *at == '-' ? -1 : 1;
	struct tm tm = {0};

	if (!strcmp(at, "Z"))
		*ret_s = 0;
	else if (when_skip(&at, "+-") && scan_clock(&at, &tm) && !*at)
		*ret_s = sign * (tm.tm_hour * 60 + tm.tm_min) * 60;
	else
		return false;
	return true;
}

/*
 * Parses the digits behind a point at *AT, and moves *AT behind them. *RET_NS becomes the last
 * nanosecond that has these digits.
 */
static bool scan_fraction(const char **at, uint64_t *ret_ns)
{
	size_t digits = strspn(*at, "0123456789");
	uint64_t unit = NS_PER_SEC, value;

	if (!digits || digits > 9 || number_parse_u64(*at, digits, &value) < 0)
		return false;
	for (size_t i = 0; i < digits; i++)
		unit /= 10;
	*at += digits;
	*ret_ns = value * unit + unit - 1;
	return true;
}

/* Parses RFC 3339. The rest of its last unit is in *RET_REST_NS. */
static bool parse_rfc3339(const char *text, int64_t *ret_s, uint64_t *ret_rest_ns)
{
	struct tm tm = {0}, found;
	int64_t offset_s, s;

	*ret_rest_ns = NS_PER_SEC - 1;
	if (!scan_date(&text, &tm) || !when_skip(&text, "T ") || !scan_clock(&text, &tm) ||
		(when_skip(&text, ".") && !scan_fraction(&text, ret_rest_ns)) ||
		!scan_offset(text, &offset_s))
		return false;
	found = tm;
	s = (int64_t)timegm(&found);
	*ret_s = s - offset_s;
	return found.tm_mday == tm.tm_mday && *ret_s >= 0;
}

/* Parses seconds since 1970. The rest of its last unit is in *RET_REST_NS. */
static bool when_parse_seconds(const char *text, int64_t *ret_s, uint64_t *ret_rest_ns)
{
	size_t digits = strspn(text, "0123456789");
	uint64_t s;

	*ret_rest_ns = NS_PER_SEC - 1;
	if (!digits || number_parse_u64(text, digits, &s) < 0 || s < LEAST_SECONDS || s > INT64_MAX)
		return false;
	text += digits;
	if (when_skip(&text, ".") && !scan_fraction(&text, ret_rest_ns))
		return false;
	*ret_s = (int64_t)s;
	return !*text;
}

int when_parse_moment(const char *text, uint64_t now_ns, uint64_t *ret_ns)
{
	int64_t now_s = (int64_t)(now_ns / NS_PER_SEC), s;
	uint64_t rest_ns = NS_PER_SEC - 1, ns;

	if (!strcmp(text, "now")) {
		*ret_ns = now_ns;
		return 0;
	}
	if (scan_ago(*text == '-' ? text + 1 : text, &ns) && ns <= now_ns) {
		*ret_ns = now_ns - ns;
		return 0;
	}
	if (!when_parse_seconds(text, &s, &rest_ns) && !parse_rfc3339(text, &s, &rest_ns)) {
		rest_ns = NS_PER_SEC - 1;
		if (!parse_clock(text, now_s, &s) && when_parse(text, now_s, &s) < 0)
			return -EINVAL;
	}
	if (s >= (int64_t)(INT64_MAX / NS_PER_SEC))
		return -EINVAL;
	ns = (uint64_t)s * NS_PER_SEC;
	*ret_ns = ns <= now_ns && ns + rest_ns > now_ns ? now_ns : ns + rest_ns;
	return 0;
}

void when_format(uint64_t ns, char to[static WHEN_TEXT_SIZE])
{
	struct tm tm = when_local((int64_t)(ns / NS_PER_SEC));

	if (!strftime(to, WHEN_TEXT_SIZE, "%Y-%m-%d %H:%M:%S", &tm))
		to[0] = '\0';
}
