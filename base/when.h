/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Points in time that users type, and local days
 *
 * Local time is that of the process's time zone (TZ). Pure except for TZ.
 */
#ifndef MEMTALLY_BASE_WHEN_H
#define MEMTALLY_BASE_WHEN_H

#include <stdint.h>
#include <time.h>

/*
 * Parses TEXT as a point in time in *RET_S, in seconds since the epoch: "now", "today" or
 * "yesterday" (their start), "2026-11-23", "2026-11-23 08:00" (also with seconds, or a T as
 * separator), or a duration ago ("36h"). NOW_S is the current time. Returns 0; -EINVAL if it is
 * none of these or before 1970.
 */
int when_parse(const char *text, int64_t now_s, int64_t *ret_s);

/*
 * Parses TEXT as a moment of the past in *RET_NS, in nanoseconds since the epoch: what when_parse()
 * takes; a duration ago with a minus ("-15m"); a time of day, which is the last one that has begun
 * ("03:12", "03:12:46"), or that of a day ("yesterday 03:12"); RFC 3339 as in JSON
 * ("2026-11-23T07:00:00.123Z", also with an offset from UTC); seconds since 1970 ("1795413600",
 * "1795413600.25"), of ten digits at least. NOW_NS is the current time.
 *
 * Texts of times are rounded down, so a moment in seconds (or milliseconds) is the last nanosecond of
 * that second (or millisecond), but not later than NOW_NS if it has begun: the text of the time of a
 * snapshot finds that snapshot. Returns 0; -EINVAL if TEXT is none of these or before 1970, or if
 * *RET_NS would exceed INT64_MAX. A date may be in the future.
 */
int when_parse_moment(const char *text, uint64_t now_ns, uint64_t *ret_ns);

enum { WHEN_TEXT_SIZE = 32 };

/*
 * Writes NS, nanoseconds since the epoch, as local time that when_parse_moment() reads, rounded down:
 * "2026-11-23 08:00:00".
 */
void when_format(uint64_t ns, char to[static WHEN_TEXT_SIZE]);

/* Returns S, seconds since the epoch, in local time. */
struct tm when_local(int64_t s);

/*
 * Returns the local time TM as seconds since the epoch, with the UTC offset that is in force then.
 * Fields out of range carry over, as for mktime().
 */
int64_t when_second(struct tm tm);

/* Returns the start of the local day that is DAYS after the day of S, both in seconds since 1970. */
int64_t when_midnight(int64_t s, int days);

#endif
