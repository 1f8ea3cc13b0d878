/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The calendar of the ledger: time in slots of five minutes, of hours and of days, all of UTC, so that every one of
 * them is a whole number of the smaller ones. Days of another place are sums of hours. Pure.
 */
#ifndef MEMTALLY_LEDGER_SLOTS_H
#define MEMTALLY_LEDGER_SLOTS_H

#include <stddef.h>
#include <stdint.h>

enum slot_level {
	SLOT_BUCKET, /* five minutes */
	SLOT_HOUR,
	SLOT_DAY,
	SLOT_LEVELS
};

/* How long a slot is. */
int64_t slots_seconds(enum slot_level level);

/* The slot of LEVEL in which the second S is, of seconds since the epoch, not negative; and where it begins. */
static inline int64_t slots_of(enum slot_level level, int64_t s)
{
	return s / slots_seconds(level);
}

static inline int64_t slots_begin(enum slot_level level, int64_t s)
{
	return s - s % slots_seconds(level);
}

/*
 * How finely what was used from FROM_NS to TO_NS is written down, which usually is in one slot of five minutes. Of a
 * longer time that is only known as a whole, as after an outage, five minutes tell nothing, and take much: beyond six
 * hours it goes by hours, beyond 31 days by days, and finer at its ends alone. So it does sooner where it has so many
 * ROWS in each slot that a write would take too long, and too much of the disk at once.
 */
enum slot_level slots_level(uint64_t from_ns, uint64_t to_ns, uint64_t rows);

/* Which part of the time from FROM_NS to TO_NS, not empty, is in SLOT of LEVEL: from 0 to 1. */
double slots_share(enum slot_level level, int64_t slot, uint64_t from_ns, uint64_t to_ns);

/*
 * If a slot of LEVEL begins at S that is wholly in the time from FROM_NS to TO_NS: where the last of those ends that
 * follow each other from there; else S.
 */
int64_t slots_whole_until(enum slot_level level, int64_t s, uint64_t from_ns, uint64_t to_ns);

/* What is kept, in seconds since the epoch: from where on there are slots of each level. INT64_MAX: there is none. */
struct slots_kept {
	int64_t from_s[SLOT_LEVELS];
};

/*
 * S as a boundary of a report: where the slot of five minutes ends in which it is; or of what is not kept so finely
 * any more the nearest boundary of hours or days. Never behind the end of the slot in which NOW_S is. What of two
 * times is the same before, is so after. Up, so that who asks until now gets all there is, whoever's clock is read
 * first.
 */
int64_t slots_boundary(int64_t s, int64_t now_s, const struct slots_kept *kept);

/* The boundary of LEVEL nearest to S; from NOW_S on the end of the slot in which that is, which has all there is. */
int64_t slots_nearest(enum slot_level level, int64_t s, int64_t now_s);

/* Slots from FIRST to before END. */
struct slots_run {
	enum slot_level level;
	int64_t first, end;
};

enum { SLOTS_RUNS_MAX = 5 };

/* The time from FROM_S to TO_S, two boundaries, as the fewest whole slots. How many runs there are. */
size_t slots_split(int64_t from_s, int64_t to_s, struct slots_run to[static SLOTS_RUNS_MAX]);

#endif
