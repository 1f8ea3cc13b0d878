/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Slots are counted, and not how old they are by the clock: if that was once set to a far future, what there is would
 * all be too old.
 */
#include "config.h"

#include "ledger/retention.h"

#include <errno.h>

#include "ledger/database.h"

enum {
	FULL_PERCENT = 90,     /* of the limit, from where on the oldest goes */
	LETTING_GO_TURNS = 64, /* in one transaction */
};

/* Of LEVEL all slots before SLOT. */
static int let_go_before(struct store *s, enum slot_level level, int64_t slot)
{
	char *sql = sqlite3_mprintf(
		"DELETE FROM %s WHERE slot < %lld; DELETE FROM span WHERE level = %d AND slot < %lld",
		database_slots[level], (long long)slot, (int)level, (long long)slot);
	int r = sql ? database_run(s, sql) : -ENOMEM;

	sqlite3_free(sql);
	return r;
}

/* The slot of LEVEL with COUNT ones before it in ORDER; -1: there are not so many. What no clock comes to is none. */
static int nth_slot(
	struct store *s, enum slot_level level, const char *order, uint64_t count, int64_t *ret)
{
	char *sql = sqlite3_mprintf(
		"SELECT slot FROM span WHERE level = %d AND slot BETWEEN 0 AND %lld ORDER BY slot %s"
		" LIMIT 1 OFFSET %lld",
		(int)level, (long long)USAGE_TIME_MAX, order, (long long)count);
	int r = sql ? database_number(s, sql, -1, ret) : -ENOMEM;

	sqlite3_free(sql);
	return r;
}

/* How many slots of LEVEL make one of the next, of which none is to be left in part. */
static int64_t group_of(enum slot_level level)
{
	return level == SLOT_DAY ? 1 : slots_seconds(level + 1) / slots_seconds(level);
}

static int let_go_of_old(struct store *s)
{
	int r = 0;

	for (unsigned int i = 0; r == 0 && i < SLOT_LEVELS; i++) {
		enum slot_level level = (enum slot_level)i;
		int64_t slot = -1;

		r = nth_slot(s, level, "DESC", s->limits.slots[level], &slot);
		slot++;
		slot -= slot % group_of(level);
		if (r == 0 && slot > 0)
			r = let_go_before(s, level, slot);
	}
	return r;
}

static int is_too_full(struct store *s, bool *ret)
{
	int64_t pages, free_pages;
	int r = database_number(s, "PRAGMA page_count", 0, &pages);

	if (r == 0)
		r = database_number(s, "PRAGMA freelist_count", 0, &free_pages);
	if (r == 0)
		*ret = (uint64_t)(pages - free_pages) * s->page_bytes >
		       database_room(s) / 100 * FULL_PERCENT;
	return r;
}

/* The oldest group of the finest level that has more than one; false: there is none. */
static int let_go_of_oldest(struct store *s, bool *ret)
{
	*ret = false;
	for (unsigned int i = 0; i < SLOT_LEVELS; i++) {
		enum slot_level level = (enum slot_level)i;
		int64_t group = group_of(level), slot = -1;
		int r = nth_slot(s, level, "ASC", (uint64_t)group, &slot);

		if (r != 0)
			return r;
		slot -= slot % group;
		if (slot <= 0)
			continue;
		*ret = true;
		return let_go_before(s, level, slot);
	}
	return 0;
}

/* Names that nothing has any more: whatever is in a slot is in its day, too. */
static int let_go_of_names(struct store *s)
{
	return database_run(s, "DELETE FROM series WHERE id NOT IN (SELECT series FROM day)"
			       " AND id NOT IN (SELECT series FROM counter)");
}

static int let_go_of_much(struct store *s)
{
	for (int i = 0; i < LETTING_GO_TURNS; i++) {
		bool is_full = false, has_gone = false;
		int r = is_too_full(s, &is_full);

		/* Names first: who makes up many is not to push out what others have used. */
		if (r == 0 && is_full && i == 0) {
			r = let_go_of_names(s);
			if (r == 0)
				r = is_too_full(s, &is_full);
		}
		if (r == 0 && is_full)
			r = let_go_of_oldest(s, &has_gone);
		if (r != 0 || !is_full || !has_gone)
			return r;
	}
	return 0;
}

/* Names once a day, besides: that looks at all of them. */
int retention_apply(struct store *s, int64_t day)
{
	int r = let_go_of_old(s);

	if (r == 0)
		r = let_go_of_much(s);
	if (r != 0 || s->tidied_slot == day)
		return r;
	s->tidied_slot = day;
	return let_go_of_names(s);
}
