/* SPDX-License-Identifier: Apache-2.0 */
/*
 * store_write(): a write is one transaction. A write that does not fit below the size limit is
 * written all the same, after room is made: for users and groups there always is some, since an
 * administrator assigns their numbers.
 */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "ledger/store/store-private.h"

enum { LESS = 4 }; /* divisor of s->turns for the next try, if the disk is full */

/* Call right after a failure: SQLite keeps only the last error. */
static void note_failure(struct store *s, int r)
{
	snprintf(s->failure, sizeof(s->failure), "%s",
		r == DATABASE_TOO_LARGE ? "it does not fit into ledger.max_size"
		: r == -ENOMEM          ? "out of memory"
					: sqlite3_errmsg(s->db));
	s->lacks_room = database_lacks_room(s);
}

/*
 * Begins a transaction. If an earlier rollback failed for lack of memory, its transaction is still
 * open: to begin another one would be an error that does not concern the file.
 */
static int begin_transaction(struct store *s)
{
	int r;

	*s->failure = '\0';
	if (!sqlite3_get_autocommit(s->db) &&
		sqlite3_exec(s->db, "ROLLBACK", NULL, NULL, NULL) != SQLITE_OK)
		return -ENOMEM;
	r = size_limit_begin(s);
	if (r == 0)
		r = database_run(s, "BEGIN IMMEDIATE");
	if (r != 0)
		note_failure(s, r);
	return r;
}

/*
 * Commits the transaction if R is 0; else rolls it back, unless the failure has done so already.
 * Returns R, or the error of the commit.
 */
static int end_transaction(struct store *s, int r)
{
	if (r == 0)
		r = database_run(s, "COMMIT");
	if (r == 0)
		return 0;
	note_failure(s, r);
	if (!sqlite3_get_autocommit(s->db))
		sqlite3_exec(s->db, "ROLLBACK", NULL, NULL, NULL);
	return r;
}

static int write_all(struct store *s, struct bucket *b, enum naming naming)
{
	int64_t to_s = b->to_ns ? (int64_t)((b->to_ns - 1) / NS_PER_SEC) : 0;
	int r = flush_write(s, b, naming);

	if (r == 0)
		r = retention_apply(s, slots_of(SLOT_DAY, to_s));
	return r == 0 ? size_limit_check(s) : r;
}

static int write_once(struct store *s, struct bucket *b, enum naming naming)
{
	struct names names = s->names;
	int64_t names_from[SLOT_LEVELS];
	int r = begin_transaction(s);

	if (r != 0)
		return r;
	memcpy(names_from, s->names_from, sizeof(names_from));
	r = end_transaction(s, write_all(s, b, naming));
	if (r == 0)
		return 0;
	/* The rollback has removed the new series, and restored what was removed. */
	bucket_forget_series(b);
	s->names = names;
	memcpy(s->names_from, names_from, sizeof(names_from));
	s->tidied_slot = -1;
	return r;
}

/*
 * After a success: the disk had room for the log, so the next write may remove more, up to
 * DATABASE_TURNS.
 */
static void take_more_turns(struct store *s)
{
	if (s->turns < DATABASE_TURNS)
		s->turns = s->turns ? 2 * s->turns : 1;
}

static int writing_make_room(struct store *s, unsigned int percent)
{
	int64_t names_from[SLOT_LEVELS];
	int r = begin_transaction(s);

	if (r != 0)
		return r;
	memcpy(names_from, s->names_from, sizeof(names_from));
	r = retention_make_room(s, percent);
	if (r == 0)
		r = size_limit_allow(s);
	r = end_transaction(s, r);
	if (r != 0)
		memcpy(s->names_from, names_from, sizeof(names_from));
	else
		take_more_turns(s);
	return r;
}

void store_set_beat(struct store *s, struct store_beat beat)
{
	s->beat = beat;
}

static int write_or_make_room(struct store *s, struct bucket *b)
{
	/*
	 * To which part of the limit a transaction of its own makes room first; then how the usage
	 * is written.
	 */
	static const struct {
		unsigned int percent;
		enum naming naming;
	} tries[] = {{75, NAMING_ROWS}, {50, NAMING_NONE}, {25, NAMING_NONE}};
	int r = write_once(s, b, NAMING_ROWS);

	for (size_t i = 0; r == DATABASE_TOO_LARGE && i < ARRAY_SIZE(tries); i++) {
		r = writing_make_room(s, tries[i].percent);
		if (r == 0)
			r = write_once(s, b, tries[i].naming);
	}
	return r;
}

/*
 * Writes, or makes room and writes. The log of removed usage takes room, too: if the disk is full,
 * less is removed at once, and the log is copied into the file before each try, which frees its
 * room. Does not try again if the disk fails otherwise: each try would fail, and may take long.
 */
static int write_as_can_be(struct store *s, struct bucket *b)
{
	int r = write_or_make_room(s, b);

	while (r == STORE_UNWRITABLE && s->lacks_room) {
		bool is_last = !s->turns;

		database_beat(s);
		database_run(s, "PRAGMA wal_checkpoint");
		database_beat(s);
		if (is_last)
			return r;
		s->turns /= LESS;
		r = write_or_make_room(s, b);
	}
	if (r == 0)
		take_more_turns(s);
	return r == DATABASE_TOO_LARGE ? STORE_UNWRITABLE : r;
}

/*
 * Copies the log into the file, which is gone from its path. Returns STORE_GONE, or an error.
 * SQLite checks for this only without a write-ahead log (pager.c of 3.40), and would write to a
 * file that has no name.
 */
static int writing_leave(struct store *s)
{
	int r = database_leave(s);

	if (r == 0)
		return STORE_GONE;
	note_failure(s, r);
	return r;
}

int store_write(struct store *s, struct bucket *b)
{
	int r;

	database_begin_beating(s);
	r = database_is_gone(s) ? writing_leave(s) : write_as_can_be(s, b);
	if (r == 0)
		r = size_limit_shrink(s);
	database_end_beating(s);
	return r;
}
