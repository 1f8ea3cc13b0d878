/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Periods
 *
 * Hours, days and months of the local time zone (TZ). Pure except for TZ.
 */
#ifndef MEMTALLY_CLI_USAGE_PERIOD_H
#define MEMTALLY_CLI_USAGE_PERIOD_H

#include <stddef.h>
#include <stdint.h>

#include "config/option.h"

/* Seconds since the epoch: .from_s is included, .to_s is not. */
struct period {
	int64_t from_s, to_s;
};

enum {
	PERIODS_MAX = 10000,
	PERIOD_TEXT_SIZE = 32,
};

/*
 * Returns the default of --since for usage until UNTIL_S, in seconds since the epoch: 24 hours,
 * seven days or twelve months before, including the current hour, day or month.
 */
int64_t period_default(enum usage_per per, int64_t until_s);

/*
 * Lists the hours, days or months from FROM_S to TO_S in *RET, which the caller frees; the first
 * and last may be partial. With USAGE_PER_ALL there is one. Returns 0; -E2BIG if there are more
 * than PERIODS_MAX; -EINVAL if FROM_S is not before TO_S; -ENOMEM.
 */
int period_list(
	enum usage_per per, int64_t from_s, int64_t to_s, struct period **ret, size_t *ret_count);

/*
 * Writes the name of the period that starts at FROM_S: "2026-11-23 08:00", "2026-11-23" or
 * "2026-11"; for USAGE_PER_ALL the point in time.
 */
void period_name(enum usage_per per, int64_t from_s, char to[static PERIOD_TEXT_SIZE]);

/* Writes S as RFC 3339 in UTC, such as "2026-11-23T08:00:00Z". */
void period_format(int64_t s, char to[static PERIOD_TEXT_SIZE]);

#endif
