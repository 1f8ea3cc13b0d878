/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shared by the sources of store.h: its use of SQLite (database.c), series (series.c), and the
 * steps of a write (flush.c, retention.c, size-limit.c), which writing.c calls. store.c opens,
 * loads and closes; report.c reads. Only they and tests include it.
 *
 * Statements are prepared once. Bind calls are not checked: the step that follows returns their
 * error.
 */
#ifndef MEMTALLY_LEDGER_STORE_STORE_PRIVATE_H
#define MEMTALLY_LEDGER_STORE_STORE_PRIVATE_H

#include <sqlite3.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "ledger/count/rows.h"
#include "ledger/store/names.h"
#include "ledger/store/store.h"

enum {
	/* Bytes of the limit reserved for the write-ahead log, which is cut to this size. */
	DATABASE_LOG_BYTES = 8 << 20
};

/*
 * The most that one write removes while the disk has room for its log: groups of slots, each an
 * hour of the finest level.
 */
enum { DATABASE_TURNS = 16 };

/*
 * A result in addition to store_outcome, which store_write() handles itself: the write does not fit
 * below the size limit.
 */
enum { DATABASE_TOO_LARGE = STORE_GONE + 1 };

struct store {
	sqlite3 *db;
	dev_t device; /* of the file, as is inode */
	ino_t inode;  /* 0: not known, then the file never counts as gone */
	struct store_limits limits;
	/*
	 * page_bytes: size of a page. pages_max: how many pages the file may have now: those of
	 * database_room(), or more if the file was larger when it was opened or a write had to go
	 * beyond it (size_limit_allow()).
	 */
	uint64_t page_bytes, pages_max;
	struct names names; /* new names of the current day */
	/* No slot before this one has names that can be folded into "(other)". */
	int64_t names_from[SLOT_LEVELS];
	struct store_beat beat;
	char failure[256]; /* why the last write failed; empty: sqlite3_errmsg() has it */
	bool lacks_room;   /* the last write failed for lack of disk space: a smaller one may fit */
	uint64_t pages_before; /* pages of the file when the transaction began */
	unsigned int turns;    /* the most that the next write removes, as DATABASE_TURNS */
	int64_t tidied_slot;   /* day slot in which unused names were last removed; -1: never */
	sqlite3_stmt *add[SLOT_LEVELS], *add_span;
	sqlite3_stmt *find_series, *last_series, *rename_series, *make_series;
	sqlite3_stmt *add_counter, *add_mark;
};

/*
 * SQL: when a row of table series last had usage, as far as TABLE of slots knows: start of the slot
 * in seconds since the epoch, or -1.
 */
#define DATABASE_LAST_IN(table, level, seconds)                                                    \
	"coalesce((SELECT max(n.slot) * " seconds " FROM span AS n CROSS JOIN " table              \
	" AS t ON t.slot = n.slot AND t.series = series.id WHERE n.level = " level "), -1)"

#define DATABASE_LAST                                                                              \
	"max(" DATABASE_LAST_IN("bucket", "0", "300") ", " DATABASE_LAST_IN(                       \
		"hour", "1", "3600") ", " DATABASE_LAST_IN("day", "2", "86400") ")"

/*
 * SQL: orders the series of one number (uid or gid) so that its current name comes first, which is
 * the one written last. That need not be the newest series: a number that gets an earlier name
 * again gets the earlier series again.
 *
 * In the five minutes of a change both names were written last; the counters tell which is current.
 * DATABASE_CURRENT_FIRST asks them, and so reads all counters: use it once for a report, and not
 * for each row of a write.
 */
#define DATABASE_LAST_FIRST " ORDER BY " DATABASE_LAST " DESC, id DESC"
#define DATABASE_CURRENT_FIRST                                                                     \
	" ORDER BY id IN (SELECT series FROM counter) DESC, " DATABASE_LAST " DESC, id DESC"

/* Names of the tables of slots, by level. */
extern const char *const database_slots[SLOT_LEVELS];

static inline void cleanup_statement(sqlite3_stmt **statement)
{
	sqlite3_finalize(*statement);
}
#define AUTO_STATEMENT CLEANUP(cleanup_statement)

/*
 * Converts SQLite's result code R: 0 for SQLITE_OK, SQLITE_ROW and SQLITE_DONE; else a
 * store_outcome or -ENOMEM.
 */
int database_outcome(int r);

/*
 * Returns whether SQLite's last failure was a lack of space: a full disk, a quota, or a file size
 * limit. Returns false if the device fails or must not be written to.
 */
bool database_lacks_room(const struct store *s);

/* Returns how many bytes of the size limit are for the file itself, without its log. */
static inline uint64_t database_room(const struct store *s)
{
	return s->limits.bytes - DATABASE_LOG_BYTES;
}

/*
 * Returns the text in COLUMN of STATEMENT's current row, valid until the next step; NULL if it is
 * too long for a name or not clean text: a file may contain anything.
 */
const char *database_text(sqlite3_stmt *statement, int column);

/*
 * Prepares SQL into *RET, which the caller finalizes. Clears the reason of the last failure.
 * Returns 0, a store_outcome or -ENOMEM.
 */
int database_prepare(struct store *s, const char *sql, sqlite3_stmt **ret);

/*
 * Runs the SQL that FORMAT, of sqlite3_mprintf(), makes. It selects one number: sets *RET to it, or
 * to FALLBACK if it is NULL or there is no row. Returns 0, a store_outcome or -ENOMEM.
 */
int database_number(struct store *s, int64_t fallback, int64_t *ret, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

/*
 * Sets *RET to the number of pages of the file, and *RET_FREE to the free ones among them. Errors as
 * database_number().
 */
int database_pages(struct store *s, uint64_t *ret, uint64_t *ret_free);

/* Remembers device and inode of the file at PATH, which S has just opened. */
void database_note_file(struct store *s, const char *path);

/*
 * Returns whether the open file is no longer the one at its path. Returns false if stat() fails for
 * another reason than a missing file: SQLite's SQLITE_FCNTL_HAS_MOVED would call the file gone in
 * that case.
 */
bool database_is_gone(const struct store *s);

/*
 * For a file that is gone from its path: copies its log into it, and truncates the log, which stays
 * at the old path: there it would be taken for the log of the next file of that name. Returns 0, a
 * store_outcome or -ENOMEM; on failure the log is unchanged.
 */
int database_leave(struct store *s);

/*
 * Runs the SQL, one or more statements, that FORMAT, of sqlite3_mprintf(), makes. Returns 0, a
 * store_outcome or -ENOMEM.
 */
int database_run(struct store *s, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Calls the beat (struct store_beat), if there is one. */
void database_beat(const struct store *s);

/*
 * Between these two calls SQLite calls the beat while statements make progress. It does not call it
 * while it waits for a disk that does not answer.
 */
void database_begin_beating(struct store *s);
void database_end_beating(struct store *s);

/*
 * Runs STATEMENT, which returns no rows that matter, and resets it. Returns 0, a store_outcome or
 * -ENOMEM.
 */
int database_finish(sqlite3_stmt *statement);

/*
 * Series: a series is one owner under one name in the file. Call these functions within a
 * transaction. They return 0, a store_outcome or -ENOMEM.
 */

/*
 * Sets ROW->series to the series of ROW, or to ROWS_SERIES_NONE. A user or group whose name is only
 * its number (not resolved yet) gets the series that the number had last. If that series has only
 * the number as its name, it is renamed to the name of ROW.
 */
int series_find(struct store *s, struct row *row);

/* Makes a series for ROW, which has none, and sets ROW->series. */
int series_make(struct store *s, struct row *row);

/* Sets *RET to the series of "(other)" of KIND, and makes one if there is none. */
int series_get_other(struct store *s, enum usage_kind kind, int64_t *ret);

/*
 * Counts in *RET, for each kind, the series that are new on DAY (a day slot): no earlier day has
 * usage of them, and their counter, if they have one, did not begin before. "(other)" does not
 * count.
 */
int series_count_new(struct store *s, int64_t day, struct names *ret);

/*
 * Whether owners other than users and groups get rows of their own, or are all folded into
 * "(other)".
 */
enum naming { NAMING_ROWS, NAMING_NONE };

/*
 * Adds the usage in B to slots of all levels, and writes how far memtallyd's counters are counted.
 * Call within a transaction. Sets series and is_folded of the rows of B. Returns 0, a store_outcome
 * or -ENOMEM.
 */
int flush_write(struct store *s, struct bucket *b, enum naming naming);

/*
 * Removes slots beyond the number to keep, and, above 90 % of the size limit, the oldest usage.
 * Once for each DAY (a day slot) it also removes names without usage or counter. Call within a
 * transaction. Removes at most s->turns groups of slots of a level, so that no write takes long;
 * later writes remove the rest. Returns 0, a store_outcome or -ENOMEM.
 */
int retention_apply(struct store *s, int64_t day);

/*
 * Removes the oldest usage until at most PERCENT of the file's limit is in use, nothing more may be
 * removed, or four times as much is removed as by retention_apply(). Call within a transaction.
 * Returns 0, a store_outcome or -ENOMEM.
 */
int retention_make_room(struct store *s, unsigned int percent);

/*
 * Call before a transaction begins: remembers the size of the file. Returns 0, a store_outcome or
 * -ENOMEM.
 */
int size_limit_begin(struct store *s);

/*
 * Call before a commit. If the file is larger than before the transaction, or than .pages_max,
 * gives free pages back until it has the smaller of these two sizes or no page is free. The size
 * before counts, too: a file that is above a lowered limit should not grow, and a full disk may
 * have no room for a larger file, so that SQLite could never copy its log into it.
 *
 * Returns 0, DATABASE_TOO_LARGE if the file still has more than .pages_max pages, a store_outcome
 * or -ENOMEM.
 */
int size_limit_check(struct store *s);

/*
 * Call instead of size_limit_check() before the commit of a transaction that has removed usage.
 * Does the same; but if the file is still too large, sets .pages_max to its size and returns 0:
 * removing usage takes room, too, and no later write would fit otherwise. Returns 0, a
 * store_outcome or -ENOMEM.
 */
int size_limit_allow(struct store *s);

/*
 * Call after a transaction. If the file is larger than the configured limit (database_room()), or
 * more than a quarter of it and 512 pages are free, gives back up to 1024 free pages, fewer if the
 * disk has no room for the log. Then lowers a .pages_max that size_limit_allow() or store_open()
 * has raised: to the size of the file and 512 pages, but not below the configured limit. The
 * transaction stays committed in any case. Returns 0, or STORE_DAMAGED: write no more. Ignores
 * other errors, which the next write finds again.
 */
int size_limit_shrink(struct store *s);

#endif
