/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "ledger/store/store.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "ledger/store/store-private.h"

/* "MTLy": marks a database as memtally's; and the version of its tables. */
#define APPLICATION_ID INT64_C(0x4d544c79)
enum { USER_VERSION = 1 };

enum { PATH_SIZE = STORE_PATH_MAX + 512 };

/* More than the new pages of any write, which are checked before its commit. */
#define WRITE_BYTES (UINT64_C(64) << 20)

/* More than SQLite takes to check a file: its page cache has 2000 KiB. */
enum { CHECK_BYTES = 4 << 20 };

const char *const store_files[STORE_FILES] = {"", "-wal", "-shm", "-journal"};

/*
 * Units are those of snapshot/usage.h: KiB seconds, KiB, milliseconds. NULL: not known. A series is
 * one owner under one name; number: a uid or gid, or -1.
 */
#define SLOTS_OF(name)                                                                             \
	"CREATE TABLE " name "(slot INTEGER NOT NULL, series INTEGER NOT NULL,"                    \
	" pss INTEGER NOT NULL, pss_max INTEGER, swap INTEGER, processes INTEGER NOT NULL,"        \
	" processes_max INTEGER NOT NULL, PRIMARY KEY(slot, series)) WITHOUT ROWID;"

/* clang-format off */
static const char schema[] =
	"CREATE TABLE series(id INTEGER PRIMARY KEY, kind INTEGER NOT NULL, number INTEGER NOT NULL,"
	" name TEXT NOT NULL, user TEXT NOT NULL, UNIQUE(kind, number, name, user));"
	SLOTS_OF("bucket")
	SLOTS_OF("hour")
	SLOTS_OF("day")
	"CREATE TABLE span(level INTEGER NOT NULL, slot INTEGER NOT NULL, covered INTEGER NOT NULL,"
	" sampled INTEGER NOT NULL, PRIMARY KEY(level, slot)) WITHOUT ROWID;"
	"CREATE TABLE counter(id INTEGER PRIMARY KEY, series INTEGER NOT NULL, number INTEGER NOT NULL,"
	" created INTEGER NOT NULL, counted REAL NOT NULL, pss INTEGER, swap INTEGER, processes INTEGER NOT NULL);"
	"CREATE TABLE memtallyd(age INTEGER PRIMARY KEY, instance BLOB NOT NULL, sequence INTEGER NOT NULL,"
	" monotonic INTEGER NOT NULL, boottime INTEGER NOT NULL, realtime INTEGER NOT NULL);";
/* clang-format on */

#define ADD_TO(name)                                                                               \
	"INSERT INTO " name " VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7) ON CONFLICT DO UPDATE SET"        \
	" pss = pss + excluded.pss,"                                                               \
	" pss_max = coalesce(max(pss_max, excluded.pss_max), pss_max, excluded.pss_max),"          \
	" swap = coalesce(swap + excluded.swap, swap, excluded.swap),"                             \
	" processes = processes + excluded.processes,"                                             \
	" processes_max = max(processes_max, excluded.processes_max)"

const char *store_error(const struct store *s)
{
	return *s->failure ? s->failure : sqlite3_errmsg(s->db);
}

static int prepare_all(struct store *s)
{
	static const char *const add[SLOT_LEVELS] = {
		ADD_TO("bucket"), ADD_TO("hour"), ADD_TO("day")};
	const struct {
		sqlite3_stmt **statement;
		const char *sql;
	} others[] = {
		{&s->add_span,
			"INSERT INTO span VALUES(?1, ?2, ?3, ?4) ON CONFLICT DO UPDATE SET"
			" covered = covered + excluded.covered, sampled = sampled + excluded.sampled"},
		{&s->find_series,
			"SELECT id FROM series WHERE kind = ?1 AND number = ?2 AND name = ?3"
			" AND user = ?4"},
		{&s->last_series,
			"SELECT id, name FROM series WHERE kind = ?1 AND number = ?2" DATABASE_LAST_FIRST
			" LIMIT 1"},
		{&s->rename_series, "UPDATE series SET name = ?2 WHERE id = ?1"},
		{&s->make_series,
			"INSERT INTO series(kind, number, name, user) VALUES(?1, ?2, ?3, ?4)"},
		{&s->add_counter,
			"INSERT INTO counter(series, number, created, counted, pss, swap, processes)"
			" VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7)"},
		{&s->add_mark, "INSERT INTO memtallyd VALUES(?1, ?2, ?3, ?4, ?5, ?6)"},
	};
	int r = 0;

	for (size_t i = 0; r == 0 && i < SLOT_LEVELS; i++)
		r = database_prepare(s, add[i], &s->add[i]);
	for (size_t i = 0; r == 0 && i < ARRAY_SIZE(others); i++)
		r = database_prepare(s, others[i].sql, others[i].statement);
	return r;
}

static struct store *close_file(struct store *s)
{
	if (!s)
		return NULL;
	for (size_t i = 0; i < SLOT_LEVELS; i++)
		sqlite3_finalize(s->add[i]);
	sqlite3_finalize(s->add_span);
	sqlite3_finalize(s->find_series);
	sqlite3_finalize(s->last_series);
	sqlite3_finalize(s->rename_series);
	sqlite3_finalize(s->make_series);
	sqlite3_finalize(s->add_counter);
	sqlite3_finalize(s->add_mark);
	sqlite3_close(s->db);
	free(s);
	return NULL;
}

struct store *store_close(struct store *s)
{
	if (s && s->db && database_is_gone(s))
		(void)database_leave(s); /* the file is closed in any case */
	return close_file(s);
}

/* Without this flag, closing would copy the log into the file and remove it. */
struct store *store_abandon(struct store *s)
{
	if (s && s->db)
		sqlite3_db_config(s->db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
	return store_close(s);
}

static int make_tables(struct store *s)
{
	/* So that free pages can be given back. It must be set before there are any tables. */
	return database_run(s,
		"PRAGMA auto_vacuum = INCREMENTAL;"
		"BEGIN EXCLUSIVE; PRAGMA application_id = %lld; PRAGMA user_version = %d; %s COMMIT",
		(long long)APPLICATION_ID, USER_VERSION, schema);
}

/*
 * Returns 0 if the file is ours, STORE_FOREIGN if not. A file without an id, a version and tables
 * is new, and becomes ours.
 */
static int check_owner(struct store *s)
{
	int64_t application, version, things;
	int r = database_number(s, 0, &application, "PRAGMA application_id");

	if (r == 0)
		r = database_number(s, 0, &version, "PRAGMA user_version");
	if (r == 0)
		r = database_number(s, 0, &things, "SELECT count(*) FROM sqlite_master");
	if (r != 0)
		return r;
	if (!application && !version && !things)
		return make_tables(s);
	return application == APPLICATION_ID && version == USER_VERSION ? 0 : STORE_FOREIGN;
}

/*
 * SQLite's check makes no progress calls until it has read the whole file. If there is a beat,
 * reads all rows first, by statements that beat; the check then finds them in memory, as far as
 * that suffices.
 */
static int read_ahead(struct store *s)
{
	return s->beat.call ? database_run(s, "SELECT total(pss) FROM bucket;"
					      "SELECT total(pss) FROM hour;"
					      "SELECT total(pss) FROM day;"
					      "SELECT total(length(name)) FROM series")
	                    : 0;
}

/* Checks the whole file once. Otherwise damage would show on the day on which it is read. */
static int check_content(struct store *s)
{
	AUTO_STATEMENT sqlite3_stmt *statement = NULL;
	int r = read_ahead(s), step;
	const unsigned char *said;

	if (r == 0)
		r = database_prepare(s, "PRAGMA quick_check(1)", &statement);
	if (r != 0)
		return r;
	step = sqlite3_step(statement);
	if (step != SQLITE_ROW)
		return step == SQLITE_DONE ? STORE_DAMAGED : database_outcome(step);
	said = sqlite3_column_text(statement, 0);
	return said && !strcmp((const char *)said, "ok") ? 0 : STORE_DAMAGED;
}

static int store_check(struct store *s)
{
	int r;

	database_begin_beating(s);
	r = check_content(s);
	database_end_beating(s);
	return r;
}

/*
 * Makes the connection safe: nothing in the file is executed, and nothing goes to other files. In
 * exclusive mode the log needs no shared memory, if that mode is set first; the first transaction
 * takes the lock, and keeps it.
 */
static int set_up(struct store *s)
{
	int64_t bytes = 0, pages = 0;
	uint64_t most;
	int r;

	sqlite3_extended_result_codes(s->db, 1);
	sqlite3_db_config(s->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
	sqlite3_db_config(s->db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
	sqlite3_db_config(s->db, SQLITE_DBCONFIG_ENABLE_VIEW, 0, NULL);
	sqlite3_db_config(s->db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
	r = database_run(s, "PRAGMA locking_mode = EXCLUSIVE; PRAGMA temp_store = MEMORY;"
			    "PRAGMA cell_size_check = ON; PRAGMA mmap_size = 0");
	if (r == 0)
		r = check_owner(s);
	if (r == 0)
		r = database_run(s,
			"PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; BEGIN EXCLUSIVE; COMMIT");
	if (r == 0)
		r = store_check(s);
	if (r == 0)
		r = database_number(s, 4096, &bytes, "PRAGMA page_size");
	if (r != 0)
		return r;
	s->page_bytes = (uint64_t)bytes;
	r = database_number(s, 0, &pages, "PRAGMA page_count");
	if (r != 0)
		return r;
	/*
	 * store_write() checks the size itself, and can tell that from a full disk. This is the
	 * limit if it fails to.
	 */
	s->pages_max = database_room(s) / s->page_bytes;
	if ((uint64_t)pages > s->pages_max)
		s->pages_max = (uint64_t)pages;
	most = s->pages_max + WRITE_BYTES / s->page_bytes;
	r = database_run(s, "PRAGMA max_page_count = %llu; PRAGMA journal_size_limit = %d",
		(unsigned long long)most, DATABASE_LOG_BYTES);
	return r == 0 ? prepare_all(s) : r;
}

static int make_path(const char *directory, char to[static PATH_SIZE])
{
	int n = snprintf(to, PATH_SIZE, "%s/" STORE_FILE, directory);

	return n < PATH_SIZE ? 0 : -ENAMETOOLONG;
}

/*
 * Returns the size of the file at PATH with suffix END; 0 if there is none, -1 if that is not
 * known.
 */
static off_t store_size_of(const char *path, const char *end)
{
	char name[PATH_SIZE + 16];
	struct stat st;

	snprintf(name, sizeof(name), "%s%s", path, end);
	if (lstat(name, &st) < 0)
		return errno == ENOENT ? 0 : -1;
	return st.st_size;
}

/*
 * Returns whether the database was cut off: it is empty or missing beside a log, as after the
 * repair of a file system. A new file has no log before it has tables. SQLite would remove the log,
 * and take the file for new.
 */
static bool is_cut_off(const char *path)
{
	return store_size_of(path, "") == 0 && store_size_of(path, "-wal") > 0;
}

/* Writes to ERROR a message for the result R of opening PATH. */
static void store_explain(
	const struct store *s, int r, const char *path, char error[static STORE_ERROR_SIZE])
{
	const char *said = s && s->db ? sqlite3_errmsg(s->db) : strerror(ENOMEM);
	int os = s && s->db ? sqlite3_system_errno(s->db) : 0;

	switch (r) {
	case STORE_FOREIGN:
		snprintf(error, STORE_ERROR_SIZE,
			"%.300s is another program's database, or of a later memtally", path);
		break;
	case STORE_LOCKED:
		snprintf(error, STORE_ERROR_SIZE, "%.300s is locked: another process has it open",
			path);
		break;
	case STORE_DAMAGED: snprintf(error, STORE_ERROR_SIZE, "%.300s is damaged", path); break;
	default:
		snprintf(error, STORE_ERROR_SIZE, "%.300s: %.100s%s%.60s", path, said,
			os ? ": " : "", os ? strerror(os) : "");
	}
}

int store_open(const char *directory, const struct store_limits *limits,
	const struct store_beat *beat, struct store **ret, char error[static STORE_ERROR_SIZE])
{
	AUTO_STORE struct store *s = calloc(1, sizeof(*s));
	char path[PATH_SIZE];
	int r = make_path(directory, path);

	if (r < 0) {
		snprintf(error, STORE_ERROR_SIZE, "the directory's path is too long");
		return STORE_UNWRITABLE;
	}
	r = s ? 0 : -ENOMEM;
	if (r == 0) {
		s->limits = *limits;
		if (beat)
			s->beat = *beat;
		s->turns = DATABASE_TURNS;
		s->tidied_slot = -1;
		s->names.day = -1;
		r = is_cut_off(path) ? STORE_DAMAGED : 0;
	}
	if (r == 0)
		r = database_outcome(sqlite3_open_v2(path, &s->db,
			SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX |
				SQLITE_OPEN_NOFOLLOW | SQLITE_OPEN_PRIVATECACHE,
			NULL));
	if (r == 0)
		r = set_up(s);
	if (r == 0)
		database_note_file(s, path);
	if (r != 0) {
		store_explain(s, r, path, error);
		if (r == STORE_DAMAGED)
			s = store_abandon(s);
		return r;
	}
	*ret = TAKE_PTR(s);
	return 0;
}

/* Sets *RET to COLUMN of the row, 0 if it is NULL or negative. Returns whether it is not NULL. */
static bool get_optional(sqlite3_stmt *statement, int column, uint64_t *ret)
{
	int64_t value = sqlite3_column_int64(statement, column);

	*ret = value > 0 ? (uint64_t)value : 0;
	return sqlite3_column_type(statement, column) != SQLITE_NULL;
}

static int load_row(sqlite3_stmt *statement, struct bucket *b)
{
	int64_t kind = sqlite3_column_int64(statement, 0), id = sqlite3_column_int64(statement, 2);
	int64_t number = sqlite3_column_int64(statement, 5);
	const char *name = database_text(statement, 3), *user = database_text(statement, 4);
	double counted = sqlite3_column_double(statement, 7);
	struct row *row;

	if (kind < USAGE_USER || kind >= USAGE_KINDS_END || !name || !user || number < 0 ||
		number > UINT32_MAX || !(counted >= 0 && counted < 1e300))
		return STORE_DAMAGED;
	if (id < 0 && !*user && !strcmp(name, USAGE_OTHER)) {
		row = &b->other[kind];
	} else {
		row = rows_get(&b->rows, (enum usage_kind)kind, (uint32_t)number, name, user);
		if (!row)
			return -ENOMEM;
	}
	row->series = sqlite3_column_int64(statement, 1);
	row->id = id >= 0 && id < OWNER_NO_ID ? (uint32_t)id : OWNER_NO_ID;
	row->created_ns = (uint64_t)sqlite3_column_int64(statement, 6);
	row->counted = counted;
	row->now.has_pss = get_optional(statement, 8, &row->now.pss_bytes);
	row->now.has_swap = get_optional(statement, 9, &row->now.swap_bytes);
	get_optional(statement, 10, &row->now.processes);
	row->now.is_known = true;
	return 0;
}

static int load_rows(struct store *s, struct bucket *b)
{
	AUTO_STATEMENT sqlite3_stmt *statement = NULL;
	int r = database_prepare(s,
		"SELECT s.kind, s.id, s.number, s.name, s.user, c.number, c.created, c.counted,"
		" c.pss, c.swap, c.processes FROM counter AS c JOIN series AS s ON s.id = c.series",
		&statement);
	int step = SQLITE_DONE;

	while (r == 0 && (step = sqlite3_step(statement)) == SQLITE_ROW)
		r = load_row(statement, b);
	return r == 0 ? database_outcome(step) : r;
}

static void load_mark(sqlite3_stmt *statement, struct bucket *b)
{
	const void *instance = sqlite3_column_blob(statement, 1);

	if (!instance || sqlite3_column_bytes(statement, 1) != IMAGE_INSTANCE_SIZE)
		return;
	if (sqlite3_column_int64(statement, 0) == 0) {
		b->mark = (struct bucket_mark){
			.is_set = true,
			.sequence = (uint64_t)sqlite3_column_int64(statement, 2),
			.monotonic_ns = (uint64_t)sqlite3_column_int64(statement, 3),
			.boottime_ns = (uint64_t)sqlite3_column_int64(statement, 4),
			.realtime_ns = (uint64_t)sqlite3_column_int64(statement, 5),
		};
		memcpy(b->mark.instance, instance, IMAGE_INSTANCE_SIZE);
	} else if (b->replaced_count < BUCKET_REPLACED_MAX) {
		memcpy(b->replaced[b->replaced_count++], instance, IMAGE_INSTANCE_SIZE);
	}
}

int store_load(struct store *s, struct bucket *b)
{
	AUTO_STATEMENT sqlite3_stmt *statement = NULL;
	int r = database_prepare(s,
		"SELECT age, instance, sequence, monotonic, boottime, realtime FROM memtallyd ORDER BY age",
		&statement);
	int step = SQLITE_DONE;

	while (r == 0 && (step = sqlite3_step(statement)) == SQLITE_ROW)
		load_mark(statement, b);
	if (r == 0)
		r = database_outcome(step);
	return r == 0 ? load_rows(s, b) : r;
}

bool store_has_memory(void)
{
	void *memory = sqlite3_malloc(CHECK_BYTES);

	sqlite3_free(memory);
	return memory;
}

uint64_t store_bytes(struct store *s)
{
	int64_t pages;

	return database_number(s, 0, &pages, "PRAGMA page_count") == 0
	               ? (uint64_t)pages * s->page_bytes
	               : 0;
}
