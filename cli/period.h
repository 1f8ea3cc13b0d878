/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Spans of time as people have them: by the clock on their wall, in their time zone (TZ). Pure but for that.
 */
#ifndef MEMTALLY_CLI_PERIOD_H
#define MEMTALLY_CLI_PERIOD_H

#include <stddef.h>
#include <stdint.h>

#include "config/option.h"

/* Seconds since the epoch: from the first to before the second. */
struct period {
	int64_t from_s, to_s;
};

enum {
	PERIODS_MAX = 10000,
	PERIOD_TEXT_SIZE = 32,
};

/*
 * TEXT as a point in time, seconds since the epoch, NOW_S being now: "now", "today" and "yesterday" (their
 * beginnings), "2026-11-23", "2026-11-23 08:00", the same with seconds or a T between, or how long ago ("36h").
 * -EINVAL: it is none of these, or before 1970.
 */
int period_parse(const char *text, int64_t now_s, int64_t *ret_s);

/*
 * Since when to show, where nobody says so, what was until UNTIL_S: a day, seven days, twelve months, the one that
 * lasts among them.
 */
int64_t period_default(enum usage_per per, int64_t until_s);

/*
 * The hours, days or months from FROM_S to TO_S, of which the first and the last may be parts; the caller frees *ret.
 * -E2BIG: there are more than PERIODS_MAX; -EINVAL: FROM_S is not before TO_S; -ENOMEM.
 */
int period_list(
	enum usage_per per, int64_t from_s, int64_t to_s, struct period **ret, size_t *ret_count);

/*
 * What a person calls the period that begins at FROM_S: "2026-11-23 08:00", "2026-11-23", "2026-11"; a point in time
 * for USAGE_PER_ALL.
 */
void period_name(enum usage_per per, int64_t from_s, char to[static PERIOD_TEXT_SIZE]);

/* S as RFC 3339 in UTC: "2026-11-23T08:00:00Z". */
void period_format(int64_t s, char to[static PERIOD_TEXT_SIZE]);

#endif
