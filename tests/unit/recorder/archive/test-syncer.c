/* SPDX-License-Identifier: Apache-2.0 */
/* Tests a disk that does not answer, and one that fails: the caller goes on, and no file is forgotten. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include <fcntl.h>
#include <pthread.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "recorder/archive/syncer.h"
#include "tests/unit/support/folder.h"
#include "tests/unit/support/recorder/recorded.h"

enum { LOG_MAX = 64, ROUNDS = 8 };

/* The disk. Calls wait while it hangs. */
static struct {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	bool is_hung;
	unsigned int begun; /* calls */
	int error;
	int fd[LOG_MAX];           /* of calls that have ended; that of a directory is negative */
	struct stat file[LOG_MAX]; /* as it was when the call began */
	unsigned int ended;
	int held_fd;     /* its close waits; -1: none */
	bool is_closing; /* it has begun */
} disk = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER, .held_fd = -1};

int __wrap_fdatasync(int fd);
int __wrap_fsync(int fd);
int __real_close(int fd);
int __wrap_close(int fd);

static int disk_sync(int fd, bool is_folder)
{
	struct stat st;
	int error;

	pthread_mutex_lock(&disk.lock);
	disk.begun++;
	pthread_cond_broadcast(&disk.changed);
	if (fstat(fd, &st) < 0 || disk.ended == LOG_MAX)
		abort();
	while (disk.is_hung)
		pthread_cond_wait(&disk.changed, &disk.lock);
	disk.fd[disk.ended] = is_folder ? -fd : fd;
	disk.file[disk.ended++] = st;
	error = disk.error;
	pthread_mutex_unlock(&disk.lock);
	errno = error;
	return error ? -1 : 0;
}

int __wrap_fdatasync(int fd)
{
	return disk_sync(fd, false);
}

int __wrap_fsync(int fd)
{
	return disk_sync(fd, true);
}

int __wrap_close(int fd)
{
	pthread_mutex_lock(&disk.lock);
	disk.is_closing |= fd == disk.held_fd;
	pthread_cond_broadcast(&disk.changed);
	while (fd == disk.held_fd)
		pthread_cond_wait(&disk.changed, &disk.lock);
	pthread_mutex_unlock(&disk.lock);
	return __real_close(fd);
}

/* Lets the close of FD wait from now on; -1: none. */
static void disk_hold(int fd)
{
	pthread_mutex_lock(&disk.lock);
	disk.held_fd = fd;
	pthread_cond_broadcast(&disk.changed);
	pthread_mutex_unlock(&disk.lock);
}

static void disk_await_close(void)
{
	pthread_mutex_lock(&disk.lock);
	while (!disk.is_closing)
		pthread_cond_wait(&disk.changed, &disk.lock);
	pthread_mutex_unlock(&disk.lock);
}

static void disk_set(bool is_hung, int error)
{
	pthread_mutex_lock(&disk.lock);
	disk.is_hung = is_hung;
	disk.error = error;
	disk.begun = disk.ended = 0;
	pthread_cond_broadcast(&disk.changed);
	pthread_mutex_unlock(&disk.lock);
}

/* Waits until a call waits for the disk. */
static void disk_await(void)
{
	pthread_mutex_lock(&disk.lock);
	while (!disk.begun)
		pthread_cond_wait(&disk.changed, &disk.lock);
	pthread_mutex_unlock(&disk.lock);
}

static void disk_answer(void)
{
	pthread_mutex_lock(&disk.lock);
	disk.is_hung = false;
	pthread_cond_broadcast(&disk.changed);
	pthread_mutex_unlock(&disk.lock);
}

static int make_file(const char *name)
{
	int fd = open(name, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(unlink(name), 0);
	return fd;
}

/* Bytes that are written during a call need another one. A file that waits already does not. */
static void test_repeats(void **state)
{
	int first = make_file("first"), second = make_file("second");
	struct syncer s;

	(void)state;
	disk_set(true, 0);
	assert_int_equal(syncer_init(&s), 0);
	assert_false(syncer_is_busy(&s));
	syncer_add(&s, first, 0, 1);
	disk_await();
	for (int i = 0; i < 3; i++) {
		syncer_add(&s, first, 0, 1);
		syncer_add(&s, second, 1, 1);
	}
	syncer_add(&s, second, SYNCER_FOLDER, 0);
	assert_true(syncer_is_busy(&s));
	disk_answer();
	syncer_wait(&s);
	assert_false(syncer_is_busy(&s));
	assert_int_equal(disk.ended, 3);
	assert_int_equal(disk.fd[0], first);
	assert_int_equal(disk.fd[1], first);
	assert_int_equal(disk.fd[2], second);
	syncer_add(&s, second, SYNCER_FOLDER, 0);
	syncer_done(&s);
	assert_int_equal(disk.ended, 4);
	assert_int_equal(disk.fd[3], -second);
	fd_close(first);
	fd_close(second);
}

/* A descriptor stays open until its file is synchronized. */
static void test_release(void **state)
{
	int first = make_file("first"), second = make_file("second"), third = make_file("third");
	unsigned int descriptors = unit_descriptors();
	struct syncer s;

	(void)state;
	disk_set(true, 0);
	assert_int_equal(syncer_init(&s), 0);
	assert_int_equal(syncer_release(&s, -1), -1);
	syncer_add(&s, first, 0, 1);
	disk_await();
	syncer_add(&s, first, 0, 1);
	syncer_add(&s, second, 0, 2);
	assert_int_equal(syncer_release(&s, first), -1);
	assert_int_equal(syncer_release(&s, second), -1);
	assert_int_equal(unit_descriptors(), descriptors);
	assert_int_equal(syncer_release(&s, third), -1);
	assert_int_equal(unit_descriptors(), descriptors - 1);
	disk_answer();
	syncer_done(&s);
	assert_int_equal(disk.ended, 3);
	assert_int_equal(unit_descriptors(), descriptors - 3);
}

/* The last close of a removed file takes long: the caller goes on, and it is part of the work. */
static void test_close(void **state)
{
	int first = make_file("first"), second = make_file("second");
	unsigned int descriptors = unit_descriptors();
	bool is_locked;
	struct syncer s;

	(void)state;
	disk_set(true, 0);
	disk_hold(first);
	assert_int_equal(syncer_init(&s), 0);
	syncer_add(&s, first, 0, 1);
	assert_int_equal(syncer_release(&s, first), -1);
	disk_answer();
	disk_await_close();
	is_locked = pthread_mutex_trylock(&s.lock) != 0;
	if (!is_locked)
		pthread_mutex_unlock(&s.lock);
	assert_false(is_locked);
	assert_true(syncer_is_busy(&s));
	syncer_add(&s, second, 0, 2);
	assert_int_equal(syncer_release(&s, second), -1);
	disk_hold(-1);
	syncer_wait(&s);
	assert_int_equal(unit_descriptors(), descriptors - 2);
	assert_int_equal(disk.ended, 2);
	syncer_done(&s);
}

/* More files than can wait: the caller waits, and all of them are synchronized. */
static void test_many(void **state)
{
	struct syncer s;

	(void)state;
	disk_set(false, 0);
	assert_int_equal(syncer_init(&s), 0);
	for (uint64_t i = 0; i < 3 * SYNCER_WAITING; i++) {
		int fd = make_file("file");

		syncer_add(&s, fd, 0, i);
		syncer_release(&s, fd);
	}
	syncer_done(&s);
	assert_int_equal(disk.ended, 3 * SYNCER_WAITING);
}

static void test_failures(void **state)
{
	uint64_t number = 77;
	int fd = make_file("file");
	struct syncer s;

	(void)state;
	disk_set(false, EIO);
	assert_int_equal(syncer_init(&s), 0);
	syncer_add(&s, fd, 1, 5);
	syncer_wait(&s);
	assert_int_equal(syncer_failure(&s, 0, &number), 0);
	assert_int_equal(number, 77);
	assert_int_equal(syncer_failure(&s, 1, &number), -EIO);
	assert_int_equal(number, 5);
	assert_int_equal(syncer_failure(&s, 1, &number), 0);
	/* The file is not used again, whatever comes after it. */
	disk_set(false, 0);
	syncer_add(&s, fd, 1, 6);
	syncer_wait(&s);
	assert_true(syncer_has_failed(&s, 1, 5));
	assert_false(syncer_has_failed(&s, 1, 6));
	assert_false(syncer_has_failed(&s, 0, 5));
	syncer_done(&s);
	fd_close(fd);
}

/* Returns the bytes of all files that are synchronized. */
static uint64_t disk_bytes(void)
{
	uint64_t bytes = 0;

	for (unsigned int i = 0; i < disk.ended; i++) {
		bool is_last = disk.fd[i] >= 0;

		for (unsigned int k = i + 1; k < disk.ended; k++)
			is_last &= disk.file[k].st_ino != disk.file[i].st_ino;
		bytes += is_last ? (uint64_t)disk.file[i].st_size : 0;
	}
	return bytes;
}

/* While the disk hangs, an archive takes snapshots, to the end of a segment and beyond. */
static void test_archive(void **state)
{
	char folder[RECORDED_FOLDER_SIZE];
	struct archive *a;

	(void)state;
	recorded_folder(folder);
	a = recorded_open(folder, ARCHIVE_BYTES_MIN);
	disk_set(true, 0);
	recorded_add(a, 0, 1);
	assert_int_equal(archive_sync(a, UINT64_MAX), 0);
	disk_await();
	for (uint64_t i = 1; i < ROUNDS; i++) {
		AUTO_VIEW struct view *noise = recorded_noise(i);

		assert_int_equal(archive_add(a, noise, 0, i), 0);
		assert_int_equal(archive_sync(a, UINT64_MAX), 0);
		assert_true(archive_is_syncing(a));
	}
	{
		AUTO_ARCHIVE_READER struct archive_reader *r = recorded_reader(folder);
		struct archive_coverage c;

		assert_int_equal(archive_reader_coverage(r, &c), 0);
		assert_int_equal(c.tier[0].snapshots, ROUNDS);
	}
	disk_answer();
	assert_int_equal(archive_finish(a, 0), 0);
	assert_false(archive_is_syncing(a));
	assert_int_equal(archive_due_ns(a), UINT64_MAX);
	assert_int_equal(disk_bytes(), recorded_bytes(folder));
	archive_close(a);
	assert_int_equal(folder_remove(folder), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_repeats),
		cmocka_unit_test(test_release),
		cmocka_unit_test(test_close),
		cmocka_unit_test(test_many),
		cmocka_unit_test(test_failures),
		cmocka_unit_test(test_archive),
	};

	return cmocka_run_group_tests(tests, folder_enter, folder_leave);
}
