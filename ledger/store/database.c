/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "ledger/store/store-private.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>

#include "base/text.h"

enum { BEAT_EVERY = 100000 }; /* instructions of SQLite's virtual machine, some milliseconds */

const char *const database_slots[SLOT_LEVELS] = {
	[SLOT_BUCKET] = "bucket",
	[SLOT_HOUR] = "hour",
	[SLOT_DAY] = "day",
};

int database_outcome(int r)
{
	switch (r & 0xff) {
	case SQLITE_OK:
	case SQLITE_ROW:
	case SQLITE_DONE: return 0;
	case SQLITE_NOMEM: return -ENOMEM;
	case SQLITE_BUSY:
	case SQLITE_LOCKED: return STORE_LOCKED;
	case SQLITE_CORRUPT:
	case SQLITE_NOTADB:
	case SQLITE_ERROR: /* our statements are correct, so the tables are not ours */
	case SQLITE_CONSTRAINT:
	case SQLITE_MISMATCH:
	case SQLITE_SCHEMA: return STORE_DAMAGED;
	default: return STORE_UNWRITABLE;
	}
}

/*
 * Returns the errno of the last operation on the log, where all writes go first. SQLite does not
 * keep it after a failed commit.
 */
static int log_error_of(sqlite3 *db)
{
	sqlite3_file *file = NULL;
	int error = 0;

	sqlite3_file_control(db, "main", SQLITE_FCNTL_JOURNAL_POINTER, (void *)&file);
	if (file && file->pMethods)
		file->pMethods->xFileControl(file, SQLITE_FCNTL_LAST_ERRNO, &error);
	return error;
}

bool database_lacks_room(const struct store *s)
{
	int error;

	switch (sqlite3_errcode(s->db) & 0xff) {
	case SQLITE_OK: /* the error is no longer known */
	case SQLITE_FULL: return true;
	case SQLITE_IOERR:
		error = log_error_of(s->db);
		return error == ENOSPC || error == EDQUOT || error == EFBIG;
	default: return false;
	}
}

int database_prepare(struct store *s, const char *sql, sqlite3_stmt **ret)
{
	*s->failure = '\0';
	return database_outcome(
		sqlite3_prepare_v3(s->db, sql, -1, SQLITE_PREPARE_PERSISTENT, ret, NULL));
}

int database_number(struct store *s, int64_t fallback, int64_t *ret, const char *format, ...)
{
	AUTO_STATEMENT sqlite3_stmt *statement = NULL;
	va_list args;
	char *sql;
	int r, step;

	va_start(args, format);
	sql = sqlite3_vmprintf(format, args);
	va_end(args);
	r = sql ? database_prepare(s, sql, &statement) : -ENOMEM;
	sqlite3_free(sql);
	if (r != 0)
		return r;
	step = sqlite3_step(statement);
	if (step == SQLITE_ROW && sqlite3_column_type(statement, 0) != SQLITE_NULL)
		*ret = sqlite3_column_int64(statement, 0);
	else
		*ret = fallback;
	return database_outcome(step);
}

int database_pages(struct store *s, uint64_t *ret, uint64_t *ret_free)
{
	int64_t pages, free_pages;
	int r = database_number(s, 0, &pages, "PRAGMA page_count");

	if (r == 0)
		r = database_number(s, 0, &free_pages, "PRAGMA freelist_count");
	if (r == 0) {
		*ret = (uint64_t)pages;
		*ret_free = (uint64_t)free_pages;
	}
	return r;
}

const char *database_text(sqlite3_stmt *statement, int column)
{
	const char *text = (const char *)sqlite3_column_text(statement, column);
	size_t len = (size_t)sqlite3_column_bytes(statement, column);

	if (!text || len > SNAPSHOT_NAME_MAX || strlen(text) != len || !text_is_clean(text, len))
		return NULL;
	return text;
}

void database_note_file(struct store *s, const char *path)
{
	struct stat st;

	if (stat(path, &st) < 0)
		return;
	s->device = st.st_dev;
	s->inode = st.st_ino;
}

bool database_is_gone(const struct store *s)
{
	const char *path = sqlite3_db_filename(s->db, "main");
	struct stat st;

	if (!s->inode || !path)
		return false;
	if (stat(path, &st) < 0)
		return errno == ENOENT || errno == ENOTDIR;
	return st.st_dev != s->device || st.st_ino != s->inode;
}

int database_leave(struct store *s)
{
	return database_outcome(
		sqlite3_wal_checkpoint_v2(s->db, "main", SQLITE_CHECKPOINT_TRUNCATE, NULL, NULL));
}

int database_run(struct store *s, const char *format, ...)
{
	va_list args;
	char *sql;
	int r;

	va_start(args, format);
	sql = sqlite3_vmprintf(format, args);
	va_end(args);
	r = sql ? database_outcome(sqlite3_exec(s->db, sql, NULL, NULL, NULL)) : -ENOMEM;
	sqlite3_free(sql);
	return r;
}

void database_beat(const struct store *s)
{
	if (s->beat.call)
		s->beat.call(s->beat.context);
}

static int database_beat_progress(void *store)
{
	database_beat(store);
	return 0;
}

void database_begin_beating(struct store *s)
{
	sqlite3_progress_handler(s->db, BEAT_EVERY, database_beat_progress, s);
}

void database_end_beating(struct store *s)
{
	sqlite3_progress_handler(s->db, 0, NULL, NULL);
}

int database_finish(sqlite3_stmt *statement)
{
	int r = sqlite3_step(statement);
	int again = sqlite3_reset(statement);

	return database_outcome(r == SQLITE_DONE || r == SQLITE_ROW ? again : r);
}
