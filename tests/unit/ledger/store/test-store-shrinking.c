/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of ledger/store/store.h: the file shrinks if less is to be kept, or in less space. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include <fcntl.h>
#include <sched.h>
#include <sqlite3.h>
#include <sys/mount.h>
#include <sys/statvfs.h>
#include <sys/wait.h>

#include "base/os/file.h"
#include "tests/unit/support/ledger/fed-store.h"

static int64_t bytes_used(struct fed_store *f)
{
	return fed_store_count(f,
		"SELECT (page_count - freelist_count) * page_size FROM pragma_page_count(),"
		" pragma_freelist_count(), pragma_page_size()");
}

static void count_beat(void *beats)
{
	++*(unsigned int *)beats;
}

enum { DAYS = 5, SLOTS = DAYS * 288, FILE_MAX = 64 << 20 };

/* The slots of DAYS, and the feed behind them. They take seconds to write, and two tests need them. */
static struct {
	struct buffer file; /* empty: not written yet */
	struct feed feed;
} days;

static void begin_days(struct fed_store *f)
{
	int fd;

	if (!days.file.len) {
		fed_store_begin_slots(f, SLOTS);
		fed_store_close(f); /* its log is in the file then */
		assert_int_equal(file_read_all(AT_FDCWD, f->keeping.path, FILE_MAX, &days.file), 0);
		days.feed = f->feed;
	}
	f->keeping.limits.slots[SLOT_BUCKET] = 1000000;
	f->keeping.limits.slots[SLOT_HOUR] = 1000000;
	f->feed = days.feed;
	fd = open(f->keeping.path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	assert_int_equal(write(fd, days.file.data, days.file.len), days.file.len);
	close(fd);
	fed_store_open(f);
}

static int forget_days(void **state)
{
	(void)state;
	buffer_done(&days.file);
	return 0;
}

/*
 * Far too much, as after the limit was reduced: each write removes a part, so that no write looks
 * like a hang.
 */
static void large_surplus_is_removed_gradually(void **state)
{
	static const char with_names[] =
		"SELECT count(DISTINCT slot) FROM bucket WHERE series IN"
		" (SELECT id FROM series WHERE kind = 2 AND name != '(other)')";
	struct fed_store *f = *state;
	unsigned int beats = 0;

	begin_days(f);
	assert_int_equal(fed_store_count(f, with_names), SLOTS);
	assert_true(bytes_used(f) > (int64_t)(4 * MIB));
	f->keeping.limits.bytes = 9 * MIB;
	fed_store_reopen(f);
	store_set_beat(f->store, (struct store_beat){.call = count_beat, .context = &beats});
	fed_store_take_after(f, 300);
	fed_store_flush(f);
	assert_true(beats > 0);
	assert_in_range(fed_store_count(f, with_names), SLOTS - 2 * 16 * 12, SLOTS - 15 * 12);
	fed_store_pass_slots(f, 12);
	assert_true(bytes_used(f) <= (int64_t)MIB);
	fed_store_check_sum(f, USAGE_USER);
	fed_store_check_sum(f, USAGE_PROGRAM);
}

static int64_t count_slots(struct fed_store *f)
{
	return fed_store_count(f, "SELECT count(*) FROM span WHERE level = 0");
}

/* If less is to be kept, or in less space, the file shrinks gradually. */
static void free_space_is_given_back(void **state)
{
	const uint64_t at_once = 1024 * UINT64_C(4096);
	struct fed_store *f = *state;
	uint64_t before, bytes;

	begin_days(f);
	before = store_bytes(f->store);
	assert_true(before > 10 * MIB);
	f->keeping.limits.slots[SLOT_BUCKET] = 300;
	fed_store_reopen(f);
	for (unsigned int i = 0; i < 12; i++, before = bytes) {
		fed_store_pass_slots(f, 1);
		bytes = store_bytes(f->store);
		assert_true(
			bytes + 2 * at_once >= before); /* a slot ends, and another one begins */
	}
	assert_in_range(bytes, 2 * MIB, 6 * MIB);
	assert_in_range(count_slots(f), 300, 320);
	/* A little free space is reused. */
	before = store_bytes(f->store);
	fed_store_pass_slots(f, 24);
	assert_in_range(store_bytes(f->store), before - MIB / 2, before + MIB / 2);
	f->keeping.limits.bytes = 9 * MIB;
	fed_store_reopen(f);
	fed_store_pass_slots(f, 12);
	assert_true(store_bytes(f->store) <= MIB);
	fed_store_check_sum(f, USAGE_USER);
	fed_store_check_sum(f, USAGE_PROGRAM);
	/* Nor does it grow again. */
	for (unsigned int i = 0; i < 100; i++) {
		fed_store_pass_slots(f, 1);
		assert_true(store_bytes(f->store) <= MIB);
	}
}

/* A file made without auto-vacuum stays as it is. */
static void writes_to_files_that_cannot_shrink(void **state)
{
	struct fed_store *f = *state;

	fed_store_begin_slots(f, 200);
	f->store = store_close(f->store);
	{
		sqlite3 *db;

		assert_int_equal(sqlite3_open(f->keeping.path, &db), SQLITE_OK);
		assert_int_equal(
			sqlite3_exec(db, "PRAGMA auto_vacuum = NONE; VACUUM", NULL, NULL, NULL),
			SQLITE_OK);
		sqlite3_close(db);
	}
	f->keeping.limits.slots[SLOT_BUCKET] = 12;
	f->keeping.limits.bytes = 9 * MIB;
	fed_store_reopen(f);
	fed_store_pass_slots(f, 6);
	assert_in_range(count_slots(f), 12, 24);
}

/* Mounts a tmpfs of SIZE. Returns false if this is not permitted. */
static bool mount_small(const char *dir, const char *size)
{
	char options[64];

	snprintf(options, sizeof(options), "mode=700,size=%s", size);
	if (unshare(CLONE_NEWNS) < 0 && unshare(CLONE_NEWUSER | CLONE_NEWNS) < 0)
		return false;
	return mount("none", "/", "none", MS_REC | MS_PRIVATE, NULL) == 0 &&
	       mount("none", dir, "tmpfs", 0, options) == 0;
}

/* Fills the file system except LEFT bytes. */
static void fill(const struct fed_store *f, off_t left)
{
	static const char block[65536];
	char path[80];
	int fd;

	snprintf(path, sizeof(path), "%s/filler", f->keeping.dir);
	fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	assert_true(fd >= 0);
	while (write(fd, block, sizeof(block)) > 0)
		;
	assert_int_equal(errno, ENOSPC);
	assert_int_equal(ftruncate(fd, lseek(fd, 0, SEEK_END) - left), 0);
	close(fd);
}

static uint64_t room_in(const struct fed_store *f)
{
	struct statvfs st;

	assert_int_equal(statvfs(f->keeping.dir, &st), 0);
	return (uint64_t)st.f_bavail * st.f_frsize;
}

/* A file system with room for a log of 1 MiB. That of 16 hours is larger. */
static void shorten_on_a_full_disk(struct fed_store *f)
{
	fed_store_begin_slots(f, 600);
	f->store = store_close(f->store);
	fill(f, (off_t)MIB);
	f->keeping.limits.slots[SLOT_BUCKET] = 12;
	fed_store_reopen(f);
	fed_store_pass_slots(f, 12);
	assert_in_range(count_slots(f), 12, 600 - 100);
	fed_store_pass_slots(f, 60);
	assert_in_range(count_slots(f), 12, 24);
	assert_true(room_in(f) > 3 * MIB);
	fed_store_check_sum(f, USAGE_USER);
}

static void keeps_less_on_a_full_disk(void **state)
{
	enum { CANNOT = 77 };
	struct fed_store *f = *state;
	pid_t child = fork();
	int status;

	assert_true(child >= 0);
	if (child == 0) {
		if (!mount_small(f->keeping.dir, "16m"))
			_exit(CANNOT);
		shorten_on_a_full_disk(f);
		store_close(
			f->store); /* leaks that valgrind finds would become the child's status */
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	if (WEXITSTATUS(status) == CANNOT)
		skip();
	assert_int_equal(WEXITSTATUS(status), 0);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		FED_STORE_TEST(large_surplus_is_removed_gradually),
		FED_STORE_TEST(free_space_is_given_back),
		FED_STORE_TEST(writes_to_files_that_cannot_shrink),
		FED_STORE_TEST(keeps_less_on_a_full_disk),
	};

	return cmocka_run_group_tests(tests, NULL, forget_days);
}
