/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "base/clock.h"

#include <stdio.h>

uint64_t clock_now_ns(clockid_t clock)
{
	struct timespec t;

	if (clock_gettime(clock, &t) < 0)
		return 0;
	return (uint64_t)t.tv_sec * NS_PER_SEC + (uint64_t)t.tv_nsec;
}

void clock_format_rfc3339(uint64_t realtime_ns, char to[static CLOCK_TEXT_SIZE])
{
	time_t seconds = (time_t)(realtime_ns / NS_PER_SEC);
	unsigned int ms = (unsigned int)(realtime_ns % NS_PER_SEC / NS_PER_MSEC);
	struct tm tm;
	size_t n;

	if (!gmtime_r(&seconds, &tm) || tm.tm_year > 9999 - 1900) {
		seconds = 0; /* RFC 3339 has four digits for the year */
		gmtime_r(&seconds, &tm);
	}
	n = strftime(to, CLOCK_TEXT_SIZE, "%Y-%m-%dT%H:%M:%S", &tm);
	snprintf(to + n, CLOCK_TEXT_SIZE - n, ".%03uZ", ms % 1000);
}
