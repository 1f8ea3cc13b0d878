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
