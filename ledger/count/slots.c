/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "ledger/count/slots.h"

#include "base/clock.h"

enum {
	BUCKET_S = 300,
	HOUR_S = 3600,
	DAY_S = 86400,
	FINE_MAX_S = 6 * HOUR_S,
	HOURS_MAX_S = 31 * DAY_S,
	ROWS_MAX = 500000, /* of a write, without those at its ends: about 15 MiB */
};

int64_t slots_seconds(enum slot_level level)
{
	static const int64_t seconds[SLOT_LEVELS] = {BUCKET_S, HOUR_S, DAY_S};

	return seconds[level];
}

enum slot_level slots_level(uint64_t from_ns, uint64_t to_ns, uint64_t rows)
{
	uint64_t s = (to_ns - from_ns) / NS_PER_SEC;
	enum slot_level level = s <= FINE_MAX_S    ? SLOT_BUCKET
	                        : s <= HOURS_MAX_S ? SLOT_HOUR
	                                           : SLOT_DAY;

	while (level < SLOT_DAY && s / (uint64_t)slots_seconds(level) * rows > ROWS_MAX)
		level++;
	return level;
}

double slots_share(enum slot_level level, int64_t slot, uint64_t from_ns, uint64_t to_ns)
{
	uint64_t length_ns = (uint64_t)slots_seconds(level) * NS_PER_SEC;
	uint64_t begin_ns = (uint64_t)slot * length_ns, end_ns = begin_ns + length_ns;

	if (begin_ns < from_ns)
		begin_ns = from_ns;
	if (end_ns > to_ns)
		end_ns = to_ns;
	return begin_ns < end_ns ? (double)(end_ns - begin_ns) / (double)(to_ns - from_ns) : 0;
}

int64_t slots_whole_until(enum slot_level level, int64_t s, uint64_t from_ns, uint64_t to_ns)
{
	int64_t end_s = slots_begin(level, (int64_t)(to_ns / NS_PER_SEC));

	return s % slots_seconds(level) == 0 && (uint64_t)s * NS_PER_SEC >= from_ns && end_s > s
	               ? end_s
	               : s;
}

static int64_t round_up(enum slot_level level, int64_t s)
{
	return slots_begin(level, s + slots_seconds(level) - 1);
}

static int64_t slots_least(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

int64_t slots_nearest(enum slot_level level, int64_t s, int64_t now_s)
{
	return s >= now_s ? round_up(level, now_s)
	                  : slots_begin(level, s + slots_seconds(level) / 2);
}

int64_t slots_boundary(int64_t s, int64_t now_s, const struct slots_kept *kept)
{
	if (s >= kept->from_s[SLOT_BUCKET] || s >= now_s)
		return slots_least(round_up(SLOT_BUCKET, s), round_up(SLOT_BUCKET, now_s));
	return slots_nearest(s >= kept->from_s[SLOT_HOUR] ? SLOT_HOUR : SLOT_DAY, s, now_s);
}

/*
 * Adds to TO the run of slots of LEVEL from FROM_S to before TO_S. Returns how many runs were
 * added: 0 or 1.
 */
static size_t slots_add(enum slot_level level, int64_t from_s, int64_t to_s, struct slots_run *to)
{
	if (from_s >= to_s)
		return 0;
	*to = (struct slots_run){
		.level = level, .first = slots_of(level, from_s), .end = slots_of(level, to_s)};
	return 1;
}

static int64_t slots_most(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

size_t slots_split(int64_t from_s, int64_t to_s, struct slots_run to[static SLOTS_RUNS_MAX])
{
	int64_t hour = slots_least(round_up(SLOT_HOUR, from_s), to_s);
	int64_t day = slots_least(
		round_up(SLOT_DAY, hour), slots_most(slots_begin(SLOT_HOUR, to_s), hour));
	int64_t day_end = slots_most(slots_begin(SLOT_DAY, to_s), day);
	int64_t hour_end = slots_most(slots_begin(SLOT_HOUR, to_s), day_end);
	size_t n = slots_add(SLOT_BUCKET, from_s, hour, to);

	n += slots_add(SLOT_HOUR, hour, day, to + n);
	n += slots_add(SLOT_DAY, day, day_end, to + n);
	n += slots_add(SLOT_HOUR, day_end, hour_end, to + n);
	n += slots_add(SLOT_BUCKET, hour_end, to_s, to + n);
	return n;
}
