/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What those share of SQLite who are the store, and nobody else sees: store.c opens, loads and closes, writing.c
 * writes, report.c reads. Statements are prepared once; where one is stepped, bound values are
 * checked by what stepping returns.
 */
#ifndef MEMTALLY_LEDGER_DATABASE_H
#define MEMTALLY_LEDGER_DATABASE_H

#include <sqlite3.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "ledger/names.h"
#include "ledger/store.h"

enum {
	DATABASE_LOG_BYTES = 8 << 20
}; /* what the write-ahead log may keep of the limit; it is cut to that */

/* How much a write lets go of at most where there is room for its log: groups of slots, an hour of the finest each. */
enum { DATABASE_TURNS = 16 };

/* An outcome that store_write() answers itself: what was to be written does not fit below the limit of size. */
enum { DATABASE_TOO_LARGE = STORE_GONE + 1 };

struct store {
	sqlite3 *db;
	dev_t device; /* of the file */
	ino_t inode;  /* of the file; 0: not known, so that the file never counts as gone */
	struct store_limits limits;
	uint64_t page_bytes, pages_max; /* of the file */
	struct names names;
	int64_t names_from
		[SLOT_LEVELS]; /* before that slot no slot has names that may become "(other)" */
	struct store_beat beat;
	char said[256];        /* why the last write failed; empty: ask SQLite */
	bool lacks_room;       /* likewise: less of it may fit */
	uint64_t pages_before; /* of the file, when the transaction began */
	unsigned int turns;    /* how much the next write lets go of at most */
	int64_t tidied_slot; /* the day when names that nothing has any more were last looked for; -1: never */
	sqlite3_stmt *add[SLOT_LEVELS], *add_span;
	sqlite3_stmt *find_series, *last_series, *rename_series, *make_series;
	sqlite3_stmt *add_counter, *add_mark;
};

/* When a series, of table series, was last written down, in seconds since the epoch, as far as TABLE of slots knows. */
#define DATABASE_LAST_IN(table, level, seconds)                                                    \
	"coalesce((SELECT max(n.slot) * " seconds " FROM span AS n CROSS JOIN " table              \
	" AS t ON t.slot = n.slot AND t.series = series.id WHERE n.level = " level "), -1)"

#define DATABASE_LAST                                                                              \
	"max(" DATABASE_LAST_IN("bucket", "0", "300") ", " DATABASE_LAST_IN(                       \
		"hour", "1", "3600") ", " DATABASE_LAST_IN("day", "2", "86400") ")"

/*
 * Of series those first by whose name a number goes now: what was written last. That need not be the newest one: a
 * number that has a name again which it had before has the series again, too. Within five minutes it may be two; the
 * counters know which it is, but all of them are looked at for that: once a report, and not for each row of a write.
 */
#define DATABASE_LAST_FIRST " ORDER BY " DATABASE_LAST " DESC, id DESC"
#define DATABASE_CURRENT_FIRST                                                                     \
	" ORDER BY id IN (SELECT series FROM counter) DESC, " DATABASE_LAST " DESC, id DESC"

/* The tables of slots, by their level. */
extern const char *const database_slots[SLOT_LEVELS];

static inline void cleanup_statement(sqlite3_stmt **statement)
{
	sqlite3_finalize(*statement);
}
#define AUTO_STATEMENT CLEANUP(cleanup_statement)

/* What SQLite's R is here; 0 for its good ones. */
int database_outcome(int r);

/*
 * Whether what SQLite has just failed at may do with less room: the disk is full, or a quota or a limit of a file's size
 * is reached. Not where the device fails, or may not be written to.
 */
bool database_lacks_room(const struct store *s);

/* What the file itself may have of the limit, in bytes. */
static inline uint64_t database_room(const struct store *s)
{
	return s->limits.bytes - DATABASE_LOG_BYTES;
}

/* The text in COLUMN of a row, where it may be shown: what is in the file may be anything. NULL: it may not. */
const char *database_text(sqlite3_stmt *statement, int column);

/* Prepares SQL; why something failed before is forgotten. Outcomes of the store. */
int database_prepare(struct store *s, const char *sql, sqlite3_stmt **ret);

/* The one number that SQL selects, or FALLBACK where it is NULL. Outcomes of the store. */
int database_number(struct store *s, const char *sql, int64_t fallback, int64_t *ret);

/* Notes which file PATH is, of which S has just been opened. */
void database_note_file(struct store *s, const char *path);

/*
 * Whether the file that is open is no longer the one that its name leads to. False if the system does not tell: SQLite's
 * SQLITE_FCNTL_HAS_MOVED takes a stat() that fails for any reason for a file that is gone.
 */
bool database_is_gone(const struct store *s);

/*
 * Of such a one: brings what is in the log to the file, and empties the log, which stays under the old name. There it would be taken
 * for that of whatever file has the name next. Outcomes of the store; then the log is as it was.
 */
int database_leave(struct store *s);

/* Runs SQL, several statements perhaps. Outcomes of the store. */
int database_run(struct store *s, const char *sql);

/* Calls the beat, where there is one. */
void database_beat(const struct store *s);

/*
 * From now on the beat is called for as long as statements move: who waits for a disk that does not answer tells
 * nothing. And no more.
 */
void database_begin_beating(struct store *s);
void database_end_beating(struct store *s);

/* Steps STATEMENT to its end, and leaves it for the next time. Outcomes of the store. */
int database_finish(sqlite3_stmt *statement);

#endif
