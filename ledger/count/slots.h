/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The calendar of the ledger: slots of five minutes, hours and days, in UTC, so that each contains
 * a whole number of smaller ones. Local days are sums of hours. Times are seconds since the epoch
 * unless named otherwise. Pure.
 */
#ifndef MEMTALLY_LEDGER_COUNT_SLOTS_H
#define MEMTALLY_LEDGER_COUNT_SLOTS_H

#include <stddef.h>
#include <stdint.h>

enum slot_level {
	SLOT_BUCKET, /* five minutes */
	SLOT_HOUR,
	SLOT_DAY,
	SLOT_LEVELS
};

/* Returns the length of a slot of LEVEL in seconds. */
int64_t slots_seconds(enum slot_level level);

/* Returns the number of the slot of LEVEL that contains S, which is not negative. */
static inline int64_t slots_of(enum slot_level level, int64_t s)
{
	return s / slots_seconds(level);
}

/* Returns the start of the slot of LEVEL that contains S, which is not negative. */
static inline int64_t slots_begin(enum slot_level level, int64_t s)
{
	return s - s % slots_seconds(level);
}

/*
 * Returns the finest level in which usage from FROM_NS to TO_NS (CLOCK_REALTIME) is written; that
 * is usually one five-minute slot. Usage of a longer time, as after an outage, is only known as a
 * sum, so fine slots would tell nothing and take room: more than six hours are written by hours,
 * more than 31 days by days, and finer only at both ends. If ROWS rows in each slot would be more
 * than 500000, returns a coarser level, so that a write takes neither too long nor too much of the
 * disk.
 */
enum slot_level slots_level(uint64_t from_ns, uint64_t to_ns, uint64_t rows);

/*
 * Returns the part (0 to 1) of the time from FROM_NS to TO_NS (CLOCK_REALTIME, not empty) that lies
 * in SLOT of LEVEL.
 */
double slots_share(enum slot_level level, int64_t slot, uint64_t from_ns, uint64_t to_ns);

/*
 * If a slot of LEVEL begins at S and lies wholly between FROM_NS and TO_NS (CLOCK_REALTIME),
 * returns the end of the last whole slot before TO_NS. Otherwise returns S.
 */
int64_t slots_whole_until(enum slot_level level, int64_t s, uint64_t from_ns, uint64_t to_ns);

/* For each level, the time from which the file has slots. INT64_MAX: it has none. */
struct slots_kept {
	int64_t from_s[SLOT_LEVELS];
};

/*
 * Rounds S to a boundary of a report: up to the end of its five-minute slot, or, if KEPT has none
 * for that time, to the nearest hour or day. The result is never after the end of the slot that
 * contains NOW_S. It rounds up so that a report until now contains everything, even if the client's
 * clock reading is a little older. Monotonic: an earlier S never gets a later boundary.
 */
int64_t slots_boundary(int64_t s, int64_t now_s, const struct slots_kept *kept);

/*
 * Rounds S to the nearest boundary of LEVEL. If S is NOW_S or later, returns the end of the slot
 * that contains NOW_S, so that all of it is included.
 */
int64_t slots_nearest(enum slot_level level, int64_t s, int64_t now_s);

/* Consecutive slots of LEVEL: from FIRST to before END. */
struct slots_run {
	enum slot_level level;
	int64_t first, end;
};

enum { SLOTS_RUNS_MAX = 5 };

/*
 * Splits the time from FROM_S to TO_S, two boundaries of a report, into the fewest whole slots, in
 * order. Returns the number of runs in TO.
 */
size_t slots_split(int64_t from_s, int64_t to_s, struct slots_run to[static SLOTS_RUNS_MAX]);

#endif
