/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of ledger/store/store.h: damaged files, and files that are not memtally's. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include <fcntl.h>
#include <sqlite3.h>
#include <sys/stat.h>

#include "base/clock.h"
#include "ledger/store/quarantine.h"
#include "tests/unit/support/ledger/fed-store.h"

/*
 * Most writes do not touch the damaged page. The one that does is written and reports the damage.
 */
static void reports_damage_found_by_a_write(void **state)
{
	struct fed_store *f = *state;
	unsigned int writes = 0;
	int r = 0;

	fed_store_begin_slots(f, 400);
	f->keeping.limits.slots[SLOT_BUCKET] = 12;
	fed_store_reopen(f);
	keeping_spoil_map(&f->keeping, f->store);
	while (r == 0) {
		AUTO_VIEW struct view *view = NULL;

		assert_in_range(writes, 0, 6);
		feed_wait(&f->feed, 300);
		view = feed_pass(&f->feed);
		assert_int_equal(bucket_take(&f->b, view, 0, true), 0);
		while (r == 0 && bucket_advance(&f->b)) {
			r = store_write(f->store, &f->b);
			bucket_clear(&f->b);
			writes++;
		}
	}
	assert_int_equal(r, STORE_DAMAGED);
	assert_non_null(strstr(store_error(f->store), "malformed"));
	assert_in_range(writes, 2, 6);
	f->store = store_abandon(f->store);
	assert_int_equal(fed_store_try_open(f, "damaged"), STORE_DAMAGED);
}

static void put(const char *path, const char *text, size_t len, off_t at)
{
	int fd = open(path, O_WRONLY | O_CREAT, 0600);

	assert_true(fd >= 0);
	assert_int_equal(pwrite(fd, text, len, at), len);
	close(fd);
}

static void damaged_files_are_quarantined(void **state)
{
	struct fed_store *f = *state;
	char name[STORE_ERROR_SIZE], noise[8192], other[STORE_ERROR_SIZE + 8];
	struct stat st;

	memset(noise, 0xa5, sizeof(noise));
	/* A file that is no database. */
	put(f->keeping.path, noise, sizeof(noise), 0);
	assert_int_equal(fed_store_try_open(f, "damaged"), STORE_DAMAGED);
	assert_int_equal(quarantine_put(f->keeping.dir, f->feed.realtime_ns, name), 0);
	assert_non_null(strstr(name, "/ledger.db.damaged-20231114T"));
	assert_int_equal(stat(name, &st), 0);
	assert_int_equal(st.st_size, sizeof(noise));
	assert_int_equal(stat(f->keeping.path, &st), -1);
	/* A database that was good, with its log files. */
	fed_store_start(f);
	fed_store_write_for(f, 6000);
	fed_store_close(f);
	assert_int_equal(stat(f->keeping.path, &st), 0);
	for (off_t at = 4096; at < st.st_size; at += 4096)
		put(f->keeping.path, noise, 512, at);
	snprintf(other, sizeof(other), "%s-wal", f->keeping.path);
	put(other, noise, 100, 0);
	assert_int_equal(fed_store_try_open(f, "damaged"), STORE_DAMAGED);
	assert_int_equal(quarantine_put(f->keeping.dir, f->feed.realtime_ns + NS_PER_SEC, name), 0);
	snprintf(other, sizeof(other), "%s-wal", name);
	assert_int_equal(stat(f->keeping.path, &st), -1);
	snprintf(other, sizeof(other), "%s-wal", f->keeping.path);
	assert_int_equal(stat(other, &st), -1);
	fed_store_open(f);
	assert_false(f->b.mark.is_set);
	fed_store_take(f);
	fed_store_write_for(f, 600);
}

/* As after a crash: a log is beside the file. */
static void leave_log(struct fed_store *f)
{
	char log[80];
	struct stat st;

	fed_store_start(f);
	fed_store_write_for(f, 600);
	f->store = store_abandon(f->store);
	bucket_done(&f->b);
	snprintf(log, sizeof(log), "%s-wal", f->keeping.path);
	assert_int_equal(stat(log, &st), 0);
	assert_true(st.st_size > 0);
}

/* A new file is empty too, but has no log. */
static void truncated_file_is_no_new_file(void **state)
{
	char name[STORE_ERROR_SIZE], log[STORE_ERROR_SIZE + 8];
	struct fed_store *f = *state;
	struct stat st;

	put(f->keeping.path, "", 0, 0);
	leave_log(f);
	assert_int_equal(truncate(f->keeping.path, 0), 0);
	assert_int_equal(fed_store_try_open(f, "damaged"), STORE_DAMAGED);
	assert_int_equal(fed_store_try_open(f, "damaged"), STORE_DAMAGED); /* unchanged */
	assert_int_equal(quarantine_put(f->keeping.dir, f->feed.realtime_ns, name), 0);
	snprintf(log, sizeof(log), "%s-wal", name);
	assert_int_equal(stat(log, &st), 0);
	assert_true(st.st_size > 0);
	fed_store_open(f);
	assert_false(f->b.mark.is_set);
	/* An empty log is no evidence. */
	fed_store_close(f);
	assert_int_equal(truncate(f->keeping.path, 0), 0);
	snprintf(log, sizeof(log), "%s-wal", f->keeping.path);
	put(log, "", 0, 0);
	fed_store_open(f);
}

/* A new file is missing too, but has no log. */
static void lost_file_is_no_new_file(void **state)
{
	char name[STORE_ERROR_SIZE], log[80];
	struct fed_store *f = *state;
	struct stat before, after;

	leave_log(f);
	snprintf(log, sizeof(log), "%s-wal", f->keeping.path);
	assert_int_equal(stat(log, &before), 0);
	assert_int_equal(unlink(f->keeping.path), 0);
	assert_int_equal(fed_store_try_open(f, "damaged"), STORE_DAMAGED);
	assert_int_equal(fed_store_try_open(f, "damaged"), STORE_DAMAGED); /* unchanged */
	assert_int_equal(
		quarantine_put(f->keeping.dir, f->feed.realtime_ns, name), QUARANTINE_NO_FILE);
	assert_int_equal(stat(name, &after), 0);
	assert_int_equal(after.st_ino, before.st_ino);
	assert_int_equal(after.st_size, before.st_size);
	fed_store_open(f);
	assert_false(f->b.mark.is_set);
	/* An empty log is no evidence. */
	fed_store_close(f);
	assert_int_equal(unlink(f->keeping.path), 0);
	put(log, "", 0, 0);
	fed_store_open(f);
}

static void check_sql(struct fed_store *f, const char *sql, int expected, const char *said)
{
	sqlite3 *db;

	unlink(f->keeping.path);
	assert_int_equal(sqlite3_open(f->keeping.path, &db), SQLITE_OK);
	assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
	sqlite3_close(db);
	assert_int_equal(fed_store_try_open(f, said), expected);
}

static void foreign_databases_are_refused(void **state)
{
	struct fed_store *f = *state;
	struct stat before, after;

	check_sql(f, "CREATE TABLE t(x)", STORE_FOREIGN, "another program's");
	check_sql(f, "PRAGMA application_id = 7; CREATE TABLE t(x)", STORE_FOREIGN,
		"another program's");
	check_sql(f,
		"PRAGMA application_id = 1297370233; PRAGMA user_version = 2; CREATE TABLE t(x)",
		STORE_FOREIGN, "later memtally");
	/* Unchanged. */
	assert_int_equal(stat(f->keeping.path, &before), 0);
	assert_int_equal(fed_store_try_open(f, "another program's"), STORE_FOREIGN);
	assert_int_equal(stat(f->keeping.path, &after), 0);
	assert_int_equal(before.st_mtim.tv_nsec, after.st_mtim.tv_nsec);
	assert_int_equal(before.st_size, after.st_size);
	/* Ours by its application id, but with other tables. */
	check_sql(f,
		"PRAGMA application_id = 1297370233; PRAGMA user_version = 1; CREATE TABLE series(x)",
		STORE_DAMAGED, "damaged");
}

static void open_databases_are_refused(void **state)
{
	struct fed_store *f = *state;
	sqlite3 *db;

	fed_store_open(f);
	assert_int_equal(fed_store_try_open(f, "locked"), STORE_LOCKED);
	fed_store_take(f);
	fed_store_write_for(f, 600);
	f->store = store_close(f->store);
	assert_int_equal(sqlite3_open(f->keeping.path, &db), SQLITE_OK);
	assert_int_equal(sqlite3_exec(db, "BEGIN; SELECT count(*) FROM series", NULL, NULL, NULL),
		SQLITE_OK);
	assert_int_equal(fed_store_try_open(f, "locked"), STORE_LOCKED);
	sqlite3_close(db);
	bucket_done(&f->b);
	fed_store_open(f);
	assert_true(f->b.mark.is_set);
}

static void other_file_types_are_refused(void **state)
{
	struct fed_store *f = *state;
	char target[80];

	/* A link could lead anywhere. */
	snprintf(target, sizeof(target), "%s/target", f->keeping.dir);
	put(target, "", 0, 0);
	assert_int_equal(symlink(target, f->keeping.path), 0);
	assert_int_equal(fed_store_try_open(f, ""), STORE_UNWRITABLE);
	unlink(f->keeping.path);
	assert_int_equal(mkdir(f->keeping.path, 0700), 0);
	assert_int_equal(fed_store_try_open(f, ""), STORE_UNWRITABLE);
	rmdir(f->keeping.path);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		FED_STORE_TEST(reports_damage_found_by_a_write),
		FED_STORE_TEST(damaged_files_are_quarantined),
		FED_STORE_TEST(truncated_file_is_no_new_file),
		FED_STORE_TEST(lost_file_is_no_new_file),
		FED_STORE_TEST(foreign_databases_are_refused),
		FED_STORE_TEST(open_databases_are_refused),
		FED_STORE_TEST(other_file_types_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
