/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The store's use of SQLite, shared by the files that implement it (store.c opens, loads and
 * closes; writing.c, flush.c, series.c, retention.c and size-limit.c write; report.c reads) and
 * private to them.
 *
 * Statements are prepared once. Bind calls are not checked: the step that follows returns their
 * error.
 */
#ifndef MEMTALLY_LEDGER_DATABASE_H
#define MEMTALLY_LEDGER_DATABASE_H

#include <sqlite3.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "ledger/names.h"
#include "ledger/store.h"

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
	/* page_bytes: size of a page; pages_max: how many pages the file may have */
	uint64_t page_bytes, pages_max;
	struct names names; /* new names of the current day */
	/* No slot before this one has names that can be folded into "(other)". */
	int64_t names_from[SLOT_LEVELS];
	struct store_beat beat;
	char said[256];  /* why the last write failed; empty: sqlite3_errmsg() has it */
	bool lacks_room; /* the last write failed for lack of disk space: a smaller one may fit */
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
 * Runs SQL, which selects one number, and sets *RET to it, or to FALLBACK if it is NULL or there is
 * no row. Returns 0, a store_outcome or -ENOMEM.
 */
int database_number(struct store *s, const char *sql, int64_t fallback, int64_t *ret);

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

/* Runs SQL, one or more statements. Returns 0, a store_outcome or -ENOMEM. */
int database_run(struct store *s, const char *sql);

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

#endif
