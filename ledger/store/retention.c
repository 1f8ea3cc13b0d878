/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Retention: removes the oldest slots beyond the number to keep, and, if the file is full, the
 * oldest usage. In a full file the names of programs, units and containers go first: their usage is
 * folded into "(other)", so that sums stay the same. Users and groups go only when no such names
 * are left.
 *
 * Retention counts slots with usage. It does not compare their age with the clock: if that was once
 * set to a far future, all usage would be too old.
 */
#include "config.h"

#include "ledger/store/store-private.h"

#include <errno.h>

enum {
	FULL_PERCENT = 90, /* of the limit; above it the oldest usage is removed */

	/* How many times as much is removed if a write does not fit before that. */
	FORCED = 4,
};

/* Kinds of removal, in this order: names only, then everything in the slot. */
enum removal { REMOVE_NAMES, REMOVE_ALL, REMOVALS };

/* SQL conditions on series T: it is "(other)"; it can be folded into "(other)". */
#define IS_OTHER(t) t ".number = -1 AND " t ".user = '' AND " t ".name = '" USAGE_OTHER "'"
#define IS_NAME(t)  t ".kind NOT IN (%d, %d) AND NOT (" IS_OTHER(t) ")"
#define BILLED      (int)USAGE_USER, (int)USAGE_GROUP

/* Removes all slots of LEVEL before SLOT. */
static int drop_before(struct store *s, enum slot_level level, int64_t slot)
{
	return database_run(s,
		"DELETE FROM %s WHERE slot < %lld; DELETE FROM span WHERE level = %d AND slot < %lld",
		database_slots[level], (long long)slot, (int)level, (long long)slot);
}

/* Makes the series of "(other)" for each kind that is folded. */
static int make_others(struct store *s)
{
	int64_t id;
	int r = 0;

	for (unsigned int kind = USAGE_USER; r == 0 && kind < USAGE_KINDS_END; kind++)
		if (!rows_has_number((enum usage_kind)kind))
			r = series_get_other(s, (enum usage_kind)kind, &id);
	return r;
}

/*
 * Folds the names in all slots of LEVEL before SLOT into "(other)". Starts at the first slot with
 * names, since users and groups are in all of them.
 */
static int fold_before(struct store *s, enum slot_level level, int64_t slot)
{
	const char *table = database_slots[level];
	long long from = s->names_from[level];
	int r;

	if (slot <= from)
		return 0;
	r = make_others(s);
	if (r != 0)
		return r;
	r = database_run(s,
		/* clang-format off */
		"INSERT INTO %s SELECT u.slot, o.id, sum(u.pss), NULL, sum(u.swap), sum(u.processes), 0"
		" FROM %s AS u CROSS JOIN series AS n ON n.id = u.series"
		" JOIN series AS o ON o.kind = n.kind AND " IS_OTHER("o")
		" WHERE u.slot >= %lld AND u.slot < %lld AND " IS_NAME("n") " GROUP BY u.slot, o.id"
		" ON CONFLICT DO UPDATE SET pss = pss + excluded.pss,"
		" swap = coalesce(swap + excluded.swap, swap, excluded.swap),"
		" processes = processes + excluded.processes;"
		"DELETE FROM %s AS u WHERE u.slot >= %lld AND u.slot < %lld AND EXISTS"
		" (SELECT 1 FROM series AS n WHERE n.id = u.series AND " IS_NAME("n") ")",
		/* clang-format on */
		table, table, from, (long long)slot, BILLED, table, from, (long long)slot, BILLED);
	if (r == 0)
		s->names_from[level] = slot;
	return r;
}

/*
 * Removes names, or everything, from the slots of LEVEL before SLOT, and from finer slots before
 * that time: a day slot contains whatever is in finer slots, and tells which names are still used.
 */
static int remove_before(struct store *s, enum removal removal, enum slot_level level, int64_t slot)
{
	int r = 0;

	for (unsigned int i = 0; r == 0 && i <= (unsigned int)level; i++) {
		enum slot_level finer = (enum slot_level)i;
		int64_t before = slot * (slots_seconds(level) / slots_seconds(finer));

		r = removal == REMOVE_ALL ? drop_before(s, finer, before)
		                          : fold_before(s, finer, before);
	}
	return r;
}

/*
 * Sets *RET to the slot of LEVEL that has COUNT newer ones; -1 if there is none. Ignores slots at
 * times that no clock reaches.
 */
static int find_newest(struct store *s, enum slot_level level, uint64_t count, int64_t *ret)
{
	return database_number(s, -1, ret,
		"SELECT slot FROM span WHERE level = %d AND slot BETWEEN 0 AND %lld ORDER BY slot DESC"
		" LIMIT 1 OFFSET %lld",
		(int)level, (long long)USAGE_TIME_MAX, (long long)count);
}

/* Returns how many slots of LEVEL make one of the next level. They are removed together. */
static int64_t group_of(enum slot_level level)
{
	return level == SLOT_DAY ? 1 : slots_seconds(level + 1) / slots_seconds(level);
}

/* Sets *RET to whether the pages in use are more than PERCENT of the limit. */
static int is_too_full(struct store *s, unsigned int percent, bool *ret)
{
	uint64_t pages, free_pages;
	int r = database_pages(s, &pages, &free_pages);

	if (r == 0)
		*ret = (pages - free_pages) * s->page_bytes > database_room(s) / 100 * percent;
	return r;
}

/* Sets *RET to the oldest slot of LEVEL; -1 if there is none. */
static int find_oldest(struct store *s, enum slot_level level, int64_t *ret)
{
	return database_number(s, -1, ret,
		"SELECT min(slot) FROM span WHERE level = %d AND slot BETWEEN 0 AND %lld",
		(int)level, (long long)USAGE_TIME_MAX);
}

/*
 * Removes series without usage or counter. Looking at days suffices: a day slot contains whatever
 * is in finer slots.
 */
static int remove_names(struct store *s)
{
	return database_run(s, "DELETE FROM series WHERE id NOT IN (SELECT series FROM day)"
			       " AND id NOT IN (SELECT series FROM counter)");
}

/*
 * Removes slots of LEVEL beyond the number to keep, at most s->turns groups. Sets *RET_IS_DONE to
 * false if more are left.
 */
static int remove_older(struct store *s, enum slot_level level, bool *ret_is_done)
{
	int64_t group = group_of(level), slot = -1, first = -1, end;
	int r = find_newest(s, level, s->limits.slots[level], &slot);

	*ret_is_done = true;
	slot++;
	slot -= slot % group;
	if (r == 0 && slot > 0)
		r = find_oldest(s, level, &first);
	if (r != 0 || slot <= 0)
		return r;
	end = first - first % group + s->turns * group;
	*ret_is_done = end >= slot;
	r = remove_before(s, REMOVE_ALL, level, end < slot ? end : slot);
	/* Otherwise a count of new names after a restart would include them. */
	return r == 0 && level == SLOT_DAY && first < slot && end > first ? remove_names(s) : r;
}

/*
 * Removes slots beyond the number to keep. Coarser levels wait until finer ones are done: finer
 * slots go with them, and would be many.
 */
static int remove_old(struct store *s)
{
	bool is_done = true;
	int r = 0;

	for (unsigned int level = 0; r == 0 && is_done && level < SLOT_LEVELS; level++)
		r = remove_older(s, (enum slot_level)level, &is_done);
	return r;
}

/*
 * Sets *RET to the oldest slot of LEVEL with names to fold; -1 if there is none. Remembers it,
 * since the slots before may have millions of rows of users and groups.
 */
static int find_names(struct store *s, enum slot_level level, int64_t *ret)
{
	int r = database_number(s, -1, ret,
		"SELECT u.slot FROM %s AS u CROSS JOIN series AS n ON n.id = u.series"
		" WHERE u.slot >= %lld AND " IS_NAME("n") " ORDER BY u.slot LIMIT 1",
		database_slots[level], (long long)s->names_from[level], BILLED);

	if (r == 0)
		s->names_from[level] = *ret >= 0 ? *ret : INT64_MAX;
	return r;
}

/*
 * Sets *RET to the end of the group of slots of LEVEL that begins at FIRST; 0 if it must stay.
 * Names are folded in all groups; otherwise the newest group stays.
 */
static int find_end(
	struct store *s, enum removal removal, enum slot_level level, int64_t first, int64_t *ret)
{
	int64_t group = group_of(level), slot = -1;
	int r = database_number(s, -1, &slot,
		"SELECT slot FROM span WHERE level = %d AND slot BETWEEN %lld AND %lld ORDER BY slot"
		" LIMIT 1 OFFSET %lld",
		(int)level, (long long)first, (long long)USAGE_TIME_MAX, (long long)group);

	if (r == 0 && slot < 0) {
		r = find_newest(s, level, 0, &slot);
		slot += removal == REMOVE_NAMES ? group : 0;
	}
	if (r != 0)
		return r;
	slot -= slot % group;
	*ret = slot > first ? slot : 0;
	return 0;
}

/*
 * Removes names, or everything, from the oldest group of LEVEL. Sets *RET_HAS_GONE to false if none
 * may be removed.
 */
static int remove_oldest(
	struct store *s, enum removal removal, enum slot_level level, bool *ret_has_removed)
{
	int64_t first = -1, end = 0;
	int r = removal == REMOVE_ALL ? find_oldest(s, level, &first)
	                              : find_names(s, level, &first);

	if (r == 0 && first >= 0)
		r = find_end(s, removal, level, first, &end);
	if (r == 0 && end)
		r = remove_before(s, removal, level, end);
	if (r == 0 && end && level == SLOT_DAY)
		r = remove_names(s);
	if (r == 0)
		*ret_has_removed = end > 0;
	return r;
}

/* Removes groups of LEVEL while *IS_FULL, at most *TURNS; subtracts them from *TURNS. */
static int remove_of_level(struct store *s, enum removal removal, enum slot_level level,
	unsigned int percent, unsigned int *turns, bool *is_full)
{
	bool has_removed = true;
	int r = 0;

	while (r == 0 && *is_full && has_removed && *turns) {
		r = remove_oldest(s, removal, level, &has_removed);
		if (r == 0)
			r = is_too_full(s, percent, is_full);
		*turns -= has_removed;
	}
	return r;
}

/*
 * Removes at most TURNS groups while IS_FULL. All are one transaction, during which nothing else is
 * done, and with a log that takes room.
 */
static int retention_remove_groups(
	struct store *s, unsigned int percent, unsigned int turns, bool is_full)
{
	int r = 0;

	for (unsigned int removal = 0; removal < REMOVALS; removal++)
		for (unsigned int level = 0; r == 0 && level < SLOT_LEVELS; level++)
			r = remove_of_level(s, (enum removal)removal, (enum slot_level)level,
				percent, &turns, &is_full);
	return r;
}

int retention_make_room(struct store *s, unsigned int percent)
{
	bool is_full = false;
	int r = remove_names(s);

	if (r == 0)
		r = is_too_full(s, percent, &is_full);
	return r == 0 ? retention_remove_groups(
				s, percent, FORCED * (s->turns ? s->turns : 1), is_full)
	              : r;
}

/* Removes unused names before usage, but once a day only: that reads all names. */
int retention_apply(struct store *s, int64_t day)
{
	bool is_full = false;
	int r = remove_old(s);

	if (r == 0 && s->turns && s->tidied_slot != day) {
		r = remove_names(s);
		if (r == 0)
			s->tidied_slot = day;
	}
	if (r == 0)
		r = is_too_full(s, FULL_PERCENT, &is_full);
	return r == 0 ? retention_remove_groups(s, FULL_PERCENT, s->turns, is_full) : r;
}
