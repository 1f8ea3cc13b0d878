/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests the quarantine for damaged databases of the ledger: names, limits, and what is never
 * removed.
 */
#include "config.h"

#include "tests/unit/support/unit.h"

#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>

#include "base/clock.h"
#include "ledger/store/quarantine.h"
#include "tests/unit/support/ledger/keeping.h"

#define TIME_NS (FEED_START_S * NS_PER_SEC)

static int begin(void **state)
{
	struct keeping *k = calloc(1, sizeof(*k));

	assert_non_null(k);
	keeping_begin(k);
	*state = k;
	return 0;
}

static int end(void **state)
{
	keeping_end(*state);
	free(*state);
	return 0;
}

static void make(const struct keeping *k, const char *end, off_t size)
{
	char path[96];
	int fd;

	snprintf(path, sizeof(path), "%s%s", k->path, end);
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, size), 0);
	close(fd);
}

/* Returns the size of file NAME with suffix END, or -1 if it does not exist. */
static off_t size_of(const char *name, const char *end)
{
	char path[STORE_ERROR_SIZE + 16];
	struct stat st;

	snprintf(path, sizeof(path), "%s%s", name, end);
	return stat(path, &st) == 0 ? st.st_size : -1;
}

static unsigned int entries(const struct keeping *k)
{
	DIR *dir = opendir(k->dir);
	unsigned int count = 0;

	assert_non_null(dir);
	while (readdir(dir))
		count++;
	closedir(dir);
	return count - 2;
}

/*
 * Files that are set aside in the same second have different names, so none replaces another or
 * gets another's log.
 */
static void names_are_used_once(void **state)
{
	char first[STORE_ERROR_SIZE], second[STORE_ERROR_SIZE], third[STORE_ERROR_SIZE];
	struct keeping *k = *state;

	make(k, "", 100);
	make(k, "-wal", 10);
	assert_int_equal(quarantine_put(k->dir, TIME_NS, first), 0);
	assert_non_null(strstr(first, "/ledger.db.damaged-20231114T221500Z"));
	make(k, "", 200);
	assert_int_equal(quarantine_put(k->dir, TIME_NS + 1, second), 0);
	make(k, "", 300);
	make(k, "-wal", 30);
	assert_int_equal(quarantine_put(k->dir, TIME_NS, third), 0);
	assert_int_equal(size_of(first, ""), 100);
	assert_int_equal(size_of(first, "-wal"), 10);
	assert_int_equal(size_of(second, ""), 200);
	assert_int_equal(size_of(second, "-wal"), -1);
	assert_int_equal(size_of(third, ""), 300);
	assert_int_equal(size_of(third, "-wal"), 30);
	assert_int_equal(entries(k), 5);
}

/*
 * A faulty disk damages one file after the other. The file with years in it is kept, and so is the
 * last one.
 */
static void keeps_a_limited_number(void **state)
{
	char large[STORE_ERROR_SIZE], name[STORE_ERROR_SIZE], last[STORE_ERROR_SIZE] = "";
	struct keeping *k = *state;

	make(k, "", 100000);
	make(k, "-wal", 10);
	assert_int_equal(quarantine_put(k->dir, TIME_NS, large), 0);
	for (unsigned int i = 1; i < 20; i++) {
		make(k, "", i % 3 ? 50 + (off_t)i : 5);
		make(k, "-wal", 1);
		assert_int_equal(quarantine_put(k->dir, TIME_NS + i * NS_PER_SEC / 4, name), 0);
		assert_true(size_of(name, "") >= 0);
		snprintf(last, sizeof(last), "%s", name);
	}
	assert_int_equal(size_of(large, ""), 100000);
	assert_int_equal(size_of(large, "-wal"), 10);
	assert_true(size_of(last, "") > 0);
	assert_int_equal(entries(k), 2 * QUARANTINE_MAX);
}

/*
 * Logs without a database are limited in number as databases are. The log of a database that was
 * set aside stays with it.
 */
static void logs_without_a_database_count(void **state)
{
	char file[STORE_ERROR_SIZE], name[STORE_ERROR_SIZE];
	struct keeping *k = *state;

	make(k, "", 1000);
	make(k, "-wal", 5);
	make(k, "-journal", 5);
	assert_int_equal(quarantine_put(k->dir, TIME_NS, file), 0);
	for (unsigned int i = 1; i < 20; i++) {
		make(k, "-wal", 100 - (off_t)i);
		if (i % 2)
			make(k, "-shm", 1);
		assert_int_equal(
			quarantine_put(k->dir, TIME_NS + i * NS_PER_SEC, name), QUARANTINE_NO_FILE);
		assert_int_equal(size_of(name, ""), 100 - i);
	}
	assert_int_equal(size_of(file, ""), 1000);
	assert_int_equal(size_of(file, "-wal"), 5);
	assert_int_equal(size_of(file, "-journal"), 5);
	assert_in_range(entries(k), 3 + QUARANTINE_MAX - 1, 3 + 2 * (QUARANTINE_MAX - 1));
}

/* Other files with such names are neither counted nor removed, nor do they block the name. */
static void other_files_do_not_count(void **state)
{
	char name[STORE_ERROR_SIZE], path[NAME_MAX + 64], long_name[NAME_MAX + 1];
	struct keeping *k = *state;
	struct stat st;

	memset(long_name, 'x', sizeof(long_name));
	memcpy(long_name, STORE_FILE ".damaged-", strlen(STORE_FILE ".damaged-"));
	long_name[NAME_MAX] = '\0';
	snprintf(path, sizeof(path), "%s/%s", k->dir, long_name);
	assert_int_equal(close(open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600)), 0);
	snprintf(path, sizeof(path), "%s.damaged-link", k->path);
	assert_int_equal(symlink("nowhere", path), 0);
	snprintf(path, sizeof(path), "%s.damaged-x", k->path);
	assert_int_equal(mkdir(path, 0700), 0);
	alarm(60); /* ends the test if it hangs */
	for (unsigned int i = 0; i < 6; i++) {
		make(k, "", 10000 + (off_t)i);
		assert_int_equal(quarantine_put(k->dir, TIME_NS + i * NS_PER_SEC, name), 0);
		assert_int_equal(size_of(name, ""), 10000 + i);
	}
	alarm(0);
	assert_int_equal(entries(k), QUARANTINE_MAX + 3);
	assert_int_equal(lstat(path, &st), 0);
	assert_int_equal(rmdir(path), 0);
}

static void a_failed_rename_leaves_the_file(void **state)
{
	char name[STORE_ERROR_SIZE];
	struct keeping *k = *state;
	char path[96];

	assert_int_equal(quarantine_put("/nonexistent", TIME_NS, name), -ENOENT);
	/* There is a log alone; its database is gone. */
	make(k, "-wal", 10);
	assert_int_equal(quarantine_put(k->dir, TIME_NS, name), QUARANTINE_NO_FILE);
	assert_non_null(strstr(name, "Z-wal"));
	assert_int_equal(size_of(name, ""), 10);
	snprintf(path, sizeof(path), "%s-wal", k->path);
	assert_int_equal(size_of(path, ""), -1);
}

/* Without any file there is no new path. */
static void an_empty_directory_stays_empty(void **state)
{
	char name[STORE_ERROR_SIZE] = "unchanged";
	struct keeping *k = *state;

	assert_int_equal(quarantine_put(k->dir, TIME_NS, name), QUARANTINE_NOTHING);
	assert_string_equal(name, "unchanged");
	assert_int_equal(entries(k), 0);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)
	static const struct CMUnitTest tests[] = {
		TEST(names_are_used_once),
		TEST(keeps_a_limited_number),
		TEST(logs_without_a_database_count),
		TEST(other_files_do_not_count),
		TEST(a_failed_rename_leaves_the_file),
		TEST(an_empty_directory_stays_empty),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
