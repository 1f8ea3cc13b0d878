/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of ledger/store/store.h: failing writes, calls and transactions. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include <signal.h>
#include <sqlite3.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "tests/unit/support/ledger/fed-store.h"

/* For each prefix: the next .times SQL statements that begin with it fail for lack of memory. */
static struct {
	const char *begin;
	unsigned int times;
} failing[] = {{"DELETE FROM memtallyd", 0}, {"ROLLBACK", 0}};

/* Number of transactions begun. */
static unsigned int begun;

typedef int exec_row(void *, int, char **, char **);
int __real_sqlite3_exec(sqlite3 *db, const char *sql, exec_row *row, void *context, char **error);
int __wrap_sqlite3_exec(sqlite3 *db, const char *sql, exec_row *row, void *context, char **error);

int __wrap_sqlite3_exec(sqlite3 *db, const char *sql, exec_row *row, void *context, char **error)
{
	for (size_t i = 0; i < ARRAY_SIZE(failing); i++)
		if (failing[i].times && !strncmp(sql, failing[i].begin, strlen(failing[i].begin))) {
			failing[i].times--;
			return SQLITE_NOMEM;
		}
	begun += !strcmp(sql, "BEGIN IMMEDIATE");
	return __real_sqlite3_exec(db, sql, row, context, error);
}

/*
 * A limit of the file size stands in for a full disk. In a child, because not every user can raise
 * the limit again.
 */
static void reports_a_full_disk(void **state)
{
	struct fed_store *f = *state;
	int status;
	pid_t child;

	child = fork();
	assert_true(child >= 0);
	if (child == 0) {
		struct rlimit limit, full = {.rlim_cur = 0};

		signal(SIGXFSZ, SIG_IGN);
		fed_store_start(f);
		fed_store_write_for(f, 600);
		fed_store_take_after(f, 100);
		getrlimit(RLIMIT_FSIZE, &limit);
		full.rlim_max = limit.rlim_max;
		setrlimit(RLIMIT_FSIZE, &full);
		for (int i = 0; i < 3; i++) {
			assert_int_equal(store_write(f->store, &f->b), STORE_UNWRITABLE);
			assert_true(strlen(store_error(f->store)) > 0);
		}
		bucket_stretch(&f->b);
		setrlimit(RLIMIT_FSIZE, &limit);
		fed_store_write_for(f, 1000);
		fed_store_check_pss(f, USAGE_USER, START_S, START_S + 1700, "alice",
			f->alice->true_byte_s / 1024);
		fed_store_reopen(f);
		fed_store_check_pss(f, USAGE_UNIT, START_S, START_S + 1700, "job.service",
			f->job->true_byte_s / 1024);
		store_close(f->store);
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

/* errno of writes to files */
static int write_error;

static ssize_t fail_to_write(int fd, const void *data, size_t len)
{
	(void)fd, (void)data, (void)len;
	errno = write_error;
	return -1;
}

static ssize_t fail_to_pwrite(int fd, const void *data, size_t len, off_t at)
{
	(void)at;
	return fail_to_write(fd, data, len);
}

/* All of SQLite's writing calls fail with ERROR; 0: none. */
static void fail_writes(int error)
{
	sqlite3_vfs *vfs = sqlite3_vfs_find(NULL);
	sqlite3_syscall_ptr write_call = error ? (sqlite3_syscall_ptr)fail_to_write : NULL;
	sqlite3_syscall_ptr pwrite_call = error ? (sqlite3_syscall_ptr)fail_to_pwrite : NULL;

	write_error = error;
	assert_int_equal(vfs->xSetSystemCall(vfs, "write", write_call), SQLITE_OK);
	assert_int_equal(vfs->xSetSystemCall(vfs, "pwrite", pwrite_call), SQLITE_OK);
	assert_int_equal(vfs->xSetSystemCall(vfs, "pwrite64", pwrite_call), SQLITE_OK);
}

/* errno of fdatasync() and fsync(); 0: they succeed */
static int sync_error;

/* Wraps the C library's function: SQLite calls it directly, and its VFS cannot replace it. */
int fdatasync(int fildes)
{
	errno = sync_error;
	return sync_error ? -1 : (int)syscall(SYS_fdatasync, fildes);
}

static void fail_syncs(int error)
{
	sync_error = error;
}

/* Returns the number of attempts to write if writes fail with ERROR. */
static unsigned int count_tries(struct fed_store *f, void (*hurt)(int), int error)
{
	fed_store_take_after(f, 10);
	begun = 0;
	hurt(error);
	assert_int_equal(store_write(f->store, &f->b), STORE_UNWRITABLE);
	hurt(0);
	assert_true(strlen(store_error(f->store)) > 0);
	return begun;
}

/*
 * If space is short, a smaller write may fit. A failing or read-only disk is not tried again. File
 * systems that allocate late, for example over the network, report a lack of space only when data
 * is synchronised.
 */
static void retries_with_less_if_space_is_short(void **state)
{
	static void (*const hurt[])(int) = {fail_writes, fail_syncs};
	static const int no_room[] = {ENOSPC, EDQUOT, EFBIG}, failure[] = {EIO, EROFS, EPERM};
	struct fed_store *f = *state;

	fed_store_start(f);
	for (size_t i = 0; i < ARRAY_SIZE(failure); i++)
		assert_int_equal(count_tries(f, fail_writes, failure[i]), 1);
	for (size_t i = 0; i < ARRAY_SIZE(hurt) * ARRAY_SIZE(no_room); i++) {
		assert_int_equal(count_tries(f, hurt[i % 2], no_room[i / 2]), 4);
		assert_int_equal(count_tries(f, hurt[i % 2], failure[i / 2]), 1);
		for (unsigned int n = 0; n < 6; n++) { /* then the same amount is tried as before */
			fed_store_write_for(f, 10);
		}
	}
	fed_store_check_pss(
		f, USAGE_USER, START_S, START_S + 7200, "alice", f->alice->true_byte_s / 1024);
	fed_store_reopen(f);
	fed_store_check_pss(
		f, USAGE_USER, START_S, START_S + 7200, "alice", f->alice->true_byte_s / 1024);
}

static off_t size_of_log(const struct fed_store *f)
{
	char log[128];
	struct stat st;

	snprintf(log, sizeof(log), "%s-wal", f->keeping.path);
	return stat(log, &st) < 0 ? 0 : st.st_size;
}

static int fail_to_stat(const char *path, struct stat *ret)
{
	(void)path, (void)ret;
	errno = EIO;
	return -1;
}

/* A file that stat() cannot examine is still the same file. */
static void unexaminable_file_is_not_gone(void **state)
{
	sqlite3_vfs *vfs = sqlite3_vfs_find(NULL);
	struct fed_store *f = *state;

	fed_store_start(f);
	fed_store_run(f, 10);
	assert_int_equal(
		vfs->xSetSystemCall(vfs, "stat", (sqlite3_syscall_ptr)fail_to_stat), SQLITE_OK);
	assert_int_equal(store_write(f->store, &f->b), 0);
	assert_int_equal(vfs->xSetSystemCall(vfs, "stat", NULL), SQLITE_OK);
}

/*
 * The log goes with a file that was removed; otherwise the next file would take over its content.
 */
static void log_is_removed_with_its_file(void **state)
{
	struct fed_store *f = *state;
	char away[128];

	snprintf(away, sizeof(away), "%s-away", f->keeping.path);
	for (unsigned int closes = 0; closes < 3; closes++) {
		fed_store_start(f);
		fed_store_write_for(f, 10);
		assert_true(size_of_log(f) > 0);
		assert_int_equal(rename(f->keeping.path, away), 0);
		fed_store_run(f, 10);
		if (!closes) {
			fail_writes(ENOSPC);
			assert_int_equal(store_write(f->store, &f->b), STORE_UNWRITABLE);
			fail_writes(0);
			assert_true(size_of_log(f) > 0);
			assert_int_equal(store_write(f->store, &f->b), STORE_GONE);
			assert_int_equal(size_of_log(f), 0);
		}
		f->store = closes < 2 ? store_close(f->store) : store_abandon(f->store);
		bucket_done(&f->b);
		assert_int_equal(size_of_log(f), 0);
		assert_int_equal(rename(away, f->keeping.path), 0);
		fed_store_open(f); /* complete, and not damaged */
		fed_store_close(f);
		assert_int_equal(unlink(f->keeping.path), 0);
	}
	fed_store_open(f);
}

/* An open transaction is no damage of the file, and is rolled back as soon as possible. */
static void survives_a_failed_rollback(void **state)
{
	struct fed_store *f = *state;
	struct fed_store_answer a;

	fed_store_start(f);
	for (unsigned int rollbacks = 0; rollbacks < 4; rollbacks++) {
		fed_store_run(f, 200);
		failing[0].times = 1; /* after slots were written */
		failing[1].times = rollbacks;
		assert_int_equal(store_write(f->store, &f->b), -ENOMEM);
		while (failing[1].times)
			assert_int_equal(store_write(f->store, &f->b), -ENOMEM);
		fed_store_flush(f);
	}
	fed_store_ask(f, USAGE_USER, START_S, START_S + 900, &a);
	keeping_check_near(fed_store_pss(&a, "alice"), f->alice->true_byte_s / 1024, 1e-6);
	assert_int_equal(a.head.covered_ms, 800000);
	buffer_done(&a.body);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		FED_STORE_TEST(reports_a_full_disk),
		FED_STORE_TEST(retries_with_less_if_space_is_short),
		FED_STORE_TEST(unexaminable_file_is_not_gone),
		FED_STORE_TEST(log_is_removed_with_its_file),
		FED_STORE_TEST(survives_a_failed_rollback),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
