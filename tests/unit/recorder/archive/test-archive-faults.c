/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests disks that are full, read-only or failing, and failed allocations: the call says so, the next
 * one tries again, and no other record is lost.
 */
#include "config.h"

#include "tests/unit/support/unit.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>

#include "recorder/archive/segment.h"
#include "tests/unit/support/faults/allocation.h"
#include "tests/unit/support/folder.h"
#include "tests/unit/support/recorder/recorded.h"

enum { SNAPSHOTS = 20 };

/* Calls that fail: the .nth one from now on, and so many after it. */
struct failing {
	unsigned int nth, times;
	int error;
};

static struct failing writes, cuts, syncs, removals, opens, looks, folders, reads, threads;

/* Calls that did not fail */
static unsigned int synced, folders_synced, looked;

static bool fails(struct failing *f)
{
	if (!f->nth || --f->nth)
		return false;
	f->nth = --f->times ? 1 : 0;
	errno = f->error;
	return true;
}

ssize_t __real_pwrite(int fd, const void *data, size_t len, off_t at);
ssize_t __wrap_pwrite(int fd, const void *data, size_t len, off_t at);
int __real_ftruncate(int fd, off_t len);
int __wrap_ftruncate(int fd, off_t len);
int __wrap_fdatasync(int fd);
ssize_t __real_pread(int fd, void *data, size_t len, off_t at);
ssize_t __wrap_pread(int fd, void *data, size_t len, off_t at);
int __wrap_fsync(int fd);
int __real_unlinkat(int dirfd, const char *path, int flags);
int __wrap_unlinkat(int dirfd, const char *path, int flags);
int __real_openat(int dirfd, const char *path, int flags, ...);
int __wrap_openat(int dirfd, const char *path, int flags, mode_t mode);
int __real_pthread_create(
	pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *), void *context);
int __wrap_pthread_create(
	pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *), void *context);

/* A disk that becomes full takes a part of what is written. */
ssize_t __wrap_pwrite(int fd, const void *data, size_t len, off_t at)
{
	if (!fails(&writes))
		return __real_pwrite(fd, data, len, at);
	if (len < 2 || writes.error != ENOSPC)
		return -1;
	writes.nth = 1; /* the rest */
	writes.times++;
	return __real_pwrite(fd, data, len / 2, at);
}

ssize_t __wrap_pread(int fd, void *data, size_t len, off_t at)
{
	return fails(&reads) ? -1 : __real_pread(fd, data, len, at);
}

int __wrap_ftruncate(int fd, off_t len)
{
	return fails(&cuts) ? -1 : __real_ftruncate(fd, len);
}

int __wrap_fdatasync(int fd)
{
	(void)fd; /* a real one takes long on a busy disk */
	if (fails(&syncs))
		return -1;
	synced++;
	return 0;
}

int __wrap_fsync(int fd)
{
	(void)fd;
	if (fails(&folders))
		return -1;
	folders_synced++;
	return 0;
}

int __wrap_unlinkat(int dirfd, const char *path, int flags)
{
	return fails(&removals) ? -1 : __real_unlinkat(dirfd, path, flags);
}

int __wrap_openat(int dirfd, const char *path, int flags, mode_t mode)
{
	bool is_segment = strstr(path, ".rec");

	looked += is_segment && !(flags & O_CREAT);
	return is_segment && fails(flags & O_CREAT ? &opens : &looks)
	               ? -1
	               : __real_openat(dirfd, path, flags, mode);
}

int __wrap_pthread_create(
	pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *), void *context)
{
	return fails(&threads) ? threads.error
	                       : __real_pthread_create(thread, attributes, start, context);
}

static void heal(void)
{
	writes = cuts = syncs = removals = opens = looks = folders = reads = threads =
		(struct failing){0};
}

static struct view *view[SNAPSHOTS];

/*
 * Records all snapshots into a new folder. Returns how many were refused, in a mask; each refusal must
 * have ERROR and name a file.
 */
static uint32_t record(char folder[static RECORDED_FOLDER_SIZE], int error)
{
	AUTO_ARCHIVE struct archive *a = NULL;
	uint32_t refused = 0;

	recorded_folder(folder);
	a = recorded_open(folder, RECORDED_LIMIT);
	for (unsigned int i = 0; i < SNAPSHOTS; i++) {
		int r = archive_add(a, view[i], 0, i);

		if (r == 0)
			continue;
		assert_int_equal(r, -error);
		assert_non_null(strstr(archive_reason(a), folder));
		assert_non_null(strstr(archive_reason(a), ".rec: "));
		/* A part of it that was written is cut off, or counted. */
		assert_int_equal(recorded_bytes(folder), archive_counts(a).bytes);
		refused |= 1U << i;
	}
	assert_int_equal(archive_counts(a).failures, __builtin_popcount(refused));
	return refused;
}

/* Asserts that R has all snapshots but those REFUSED. */
static void expect_snapshots(struct archive_reader *r, uint32_t refused)
{
	for (unsigned int i = 0; i < SNAPSHOTS; i++) {
		struct archive_found found;
		const char *reason;

		if (refused >> i & 1)
			continue;
		assert_int_equal(
			archive_reader_find(r, PAST_AT, recorded_at(i), &found, &reason), 0);
		recorded_assert_same(found.view, view[i]);
	}
}

/* Asserts that FOLDER has all snapshots but those REFUSED, and that no file seems damaged. */
static void expect_others(const char *folder, uint32_t refused)
{
	AUTO_ARCHIVE_READER struct archive_reader *r = recorded_reader(folder);
	struct archive_coverage c;

	expect_snapshots(r, refused);
	assert_int_equal(archive_reader_coverage(r, &c), 0);
	assert_int_equal(c.skipped, 0);
}

/* Each write fails in turn, half-way if the disk is full: it is cut off again. */
static void test_writes(void **state)
{
	static const int errors[] = {ENOSPC, EIO, EROFS, EFBIG, EDQUOT};
	char folder[RECORDED_FOLDER_SIZE];

	(void)state;
	for (size_t k = 0; k < ARRAY_SIZE(errors); k++)
		for (unsigned int n = 1;; n += k ? 5 : 1) {
			uint32_t refused;
			bool is_done;

			writes = (struct failing){n, 1, errors[k]};
			refused = record(folder, errors[k]);
			is_done = writes.nth;
			heal();
			assert_true(is_done || __builtin_popcount(refused) <= 1);
			expect_others(folder, refused);
			assert_int_equal(folder_remove(folder), 0);
			if (is_done)
				break;
		}
}

/* A part of a record cannot be cut off: the next record is in another file. */
static void test_cuts(void **state)
{
	char folder[RECORDED_FOLDER_SIZE];

	(void)state;
	for (unsigned int n = 8; n < 14; n++) {
		uint32_t refused;

		writes = (struct failing){n, 1, ENOSPC};
		cuts = (struct failing){1, 1, EIO};
		synced = 0;
		refused = record(folder, ENOSPC);
		heal();
		assert_int_equal(__builtin_popcount(refused), 1);
		/* Its records before are synchronized, since it has closed their file. */
		assert_int_equal(synced, 1);
		{
			AUTO_ARCHIVE_READER struct archive_reader *r = recorded_reader(folder);

			expect_snapshots(r, refused);
		}
		assert_int_equal(folder_remove(folder), 0);
	}
}

/* The disk is full for a while. */
static void test_full(void **state)
{
	char folder[RECORDED_FOLDER_SIZE];
	uint32_t refused;

	(void)state;
	writes = (struct failing){10, 12, EROFS};
	refused = record(folder, EROFS);
	heal();
	assert_in_range(__builtin_popcount(refused), 4, 12);
	expect_others(folder, refused);
	assert_int_equal(folder_remove(folder), 0);
}

/* A limit of the file size is a real error of the kernel, which takes part of a record. */
static void test_file_size(void **state)
{
	char folder[RECORDED_FOLDER_SIZE];
	struct rlimit old, less;

	(void)state;
	recorded_folder(folder);
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
	less = old;
	less.rlim_cur = 12000;
	{
		AUTO_ARCHIVE struct archive *a = recorded_open(folder, RECORDED_LIMIT);
		uint32_t refused = 0;

		assert_int_equal(setrlimit(RLIMIT_FSIZE, &less), 0);
		for (unsigned int i = 0; i < SNAPSHOTS; i++)
			refused |= (archive_add(a, view[i], 0, i) != 0 ? 1U : 0) << i;
		assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
		assert_in_range(__builtin_popcount(refused), 1, SNAPSHOTS - 2);
		recorded_add(a, SNAPSHOTS, SNAPSHOTS + 1);
		expect_others(folder, refused);
	}
	assert_int_equal(folder_remove(folder), 0);
}

/* Records that are not synchronized stay, and the next one is in another file. */
static void test_syncs(void **state)
{
	char folder[RECORDED_FOLDER_SIZE], name[SEGMENT_NAME_SIZE];
	char path[sizeof(folder) + sizeof(name)];

	(void)state;
	recorded_folder(folder);
	{
		AUTO_ARCHIVE struct archive *a = recorded_open(folder, RECORDED_LIMIT);

		recorded_add(a, 0, 5);
		syncs = (struct failing){1, 1, EIO};
		assert_int_equal(archive_finish(a, 0), -EIO);
		assert_non_null(strstr(archive_reason(a), "cannot synchronize"));
		assert_non_null(strstr(archive_reason(a), "tier0-"));
		heal();
		segment_name(0, 2, name);
		snprintf(path, sizeof(path), "%s/%s", folder, name);
		assert_int_equal(access(path, F_OK), -1);
		recorded_add(a, 5, SNAPSHOTS);
		assert_int_equal(access(path, F_OK), 0);
		assert_int_equal(archive_finish(a, 0), 0);
		expect_others(folder, 0);
	}
	assert_int_equal(folder_remove(folder), 0);
}

/* The directory could not be synchronized: that is tried again, though nothing new is recorded. */
static void test_folders(void **state)
{
	uint64_t delay_ns = archive_default_limits(RECORDED_LIMIT).sync_ns;
	char folder[RECORDED_FOLDER_SIZE];

	(void)state;
	recorded_folder(folder);
	{
		AUTO_ARCHIVE struct archive *a = recorded_open(folder, RECORDED_LIMIT);

		recorded_add(a, 0, 1);
		folders_synced = 0;
		folders = (struct failing){1, 2, EIO};
		assert_int_equal(archive_due_ns(a), delay_ns);
		assert_int_equal(recorded_sync(a, delay_ns), -EIO);
		assert_non_null(strstr(archive_reason(a), folder));
		assert_int_equal(archive_due_ns(a), 2 * delay_ns);
		assert_int_equal(recorded_sync(a, 2 * delay_ns), -EIO);
		assert_int_equal(recorded_sync(a, 3 * delay_ns), ARCHIVE_SYNCED);
		assert_int_equal(folders_synced, 1);
		assert_int_equal(archive_due_ns(a), UINT64_MAX);
	}
	assert_int_equal(folder_remove(folder), 0);
}

/* No descriptor is free when a file must be begun. */
static void test_opens(void **state)
{
	char folder[RECORDED_FOLDER_SIZE];

	(void)state;
	opens = (struct failing){1, 2, EMFILE};
	assert_int_equal(record(folder, EMFILE), 1);
	heal();
	expect_others(folder, 1);
	assert_int_equal(folder_remove(folder), 0);
}

/* No thread can be started: that is not another process that records there. */
static void test_threads(void **state)
{
	struct archive_limits limits = archive_default_limits(RECORDED_LIMIT);
	unsigned int descriptors = unit_descriptors();
	char folder[RECORDED_FOLDER_SIZE], reason[ARCHIVE_REASON_SIZE] = "";
	struct archive *a = NULL;

	(void)state;
	recorded_folder(folder);
	threads = (struct failing){1, 1, EAGAIN};
	assert_int_equal(archive_open(folder, &limits, &a, reason), -ENOMEM);
	heal();
	assert_non_null(strstr(reason, "cannot start a thread to record in "));
	assert_non_null(strstr(reason, folder));
	assert_null(strstr(reason, "another process"));
	assert_int_equal(unit_descriptors(), descriptors);
	assert_int_equal(archive_open(folder, &limits, &a, reason), 0);
	archive_close(a);
	assert_int_equal(folder_remove(folder), 0);
}

/* The oldest file cannot be removed: recording waits, and stays below the limit. */
static void test_removals(void **state)
{
	char folder[RECORDED_FOLDER_SIZE];

	(void)state;
	recorded_folder(folder);
	removals = (struct failing){1, 1000, EROFS};
	{
		AUTO_ARCHIVE struct archive *a = recorded_open(folder, ARCHIVE_BYTES_MIN);
		int r = 0;

		for (uint64_t i = 0; i < 1000 && r == 0; i++) {
			AUTO_VIEW struct view *noise = recorded_noise(i);

			r = archive_add(a, noise, 0, i);
			assert_in_range(recorded_bytes(folder), 1, ARCHIVE_BYTES_MIN);
		}
		assert_int_equal(r, -EROFS);
		assert_non_null(strstr(archive_reason(a), "cannot remove"));
		assert_int_equal(archive_finish(a, 0), 0);
		heal();
		recorded_add(a, 1000, 1010);
		assert_in_range(recorded_bytes(folder), 1, ARCHIVE_BYTES_MIN);
	}
	assert_int_equal(folder_remove(folder), 0);
}

static int record_and_read(const char *folder)
{
	struct archive_limits limits = archive_default_limits(RECORDED_LIMIT);
	char reason[ARCHIVE_REASON_SIZE];
	AUTO_ARCHIVE struct archive *a = NULL;
	AUTO_ARCHIVE_READER struct archive_reader *reader = NULL;
	struct archive_found found;
	struct archive_mark mark;
	const char *why;
	size_t count;
	int r = archive_open(folder, &limits, &a, reason);

	for (unsigned int i = 0; r == 0 && i < 3; i++)
		r = archive_add(a, view[i], PAST_MARK_GAP, i);
	if (r == 0)
		r = archive_reader_open(folder, NULL, &reader, reason);
	if (r == 0)
		r = archive_reader_find(reader, PAST_BEFORE, recorded_at(2), &found, &why);
	if (r == 0)
		r = archive_reader_marks(reader, 0, UINT64_MAX, PAST_MARK_GAP, &mark, 1, &count);
	return r;
}

static void test_allocations(void **state)
{
	char folder[RECORDED_FOLDER_SIZE];

	(void)state;
	for (unsigned int n = 1; n; n = allocation_next(n)) {
		unsigned int descriptors = unit_descriptors();

		recorded_folder(folder);
		allocation_fail_at(n);
		allocation_check(record_and_read(folder));
		assert_int_equal(unit_descriptors(), descriptors);
		assert_int_equal(record_and_read(folder), 0);
		assert_int_equal(folder_remove(folder), 0);
	}
}

/* A segment that cannot be opened for a while is said once, and found later by the same reader. */
static void test_looks(void **state)
{
	static const int errors[] = {ENFILE, EMFILE, ENOMEM, EIO};
	char folder[RECORDED_FOLDER_SIZE];

	(void)state;
	assert_int_equal(record(folder, 0), 0);
	for (size_t k = 0; k < ARRAY_SIZE(errors); k++) {
		AUTO_ARCHIVE_READER struct archive_reader *r = NULL;
		struct archive_coverage c;

		looks = (struct failing){1, 6, errors[k]}; /* all tiers, twice */
		r = recorded_reader(folder);
		assert_int_equal(archive_reader_coverage(r, &c), 0);
		assert_int_equal(c.last_ns, 0);
		assert_int_equal(c.skipped, 3);
		heal();
		expect_snapshots(r, 0);
		assert_int_equal(archive_reader_coverage(r, &c), 0);
		assert_int_equal(c.tier[0].snapshots, SNAPSHOTS);
		assert_int_equal(c.skipped, 3);
	}
	assert_int_equal(folder_remove(folder), 0);
}

/* Whatever read fails for once, the same reader finds all snapshots afterwards. */
static void test_reads(void **state)
{
	char folder[RECORDED_FOLDER_SIZE];
	unsigned int failed = 0;

	(void)state;
	assert_int_equal(record(folder, 0), 0);
	for (unsigned int n = 1; !failed || n < 100; n += 3) {
		AUTO_ARCHIVE_READER struct archive_reader *r = NULL;
		struct archive_found found;
		const char *reason;

		reads = (struct failing){n, 1, EIO};
		r = recorded_reader(folder);
		(void)archive_reader_find(r, PAST_AT, UINT64_MAX, &found, &reason);
		failed += !reads.nth;
		heal();
		expect_snapshots(r, 0);
	}
	assert_int_equal(folder_remove(folder), 0);
}

/* Marks of segments that have not changed are known: nothing is read again. */
static void test_known_marks(void **state)
{
	char folder[RECORDED_FOLDER_SIZE];

	(void)state;
	recorded_folder(folder);
	for (unsigned int i = 0; i < SNAPSHOTS; i++) {
		AUTO_ARCHIVE struct archive *a = recorded_open(folder, RECORDED_LIMIT);

		assert_int_equal(archive_add(a, view[i], PAST_MARK_GAP, 0), 0);
	}
	{
		AUTO_ARCHIVE_READER struct archive_reader *r = recorded_reader(folder);
		AUTO_ARCHIVE struct archive *a = NULL;
		struct archive_mark mark[SNAPSHOTS];
		size_t count;

		for (unsigned int i = 0; i < 3; i++) {
			looked = 0;
			assert_int_equal(archive_reader_marks(r, 0, UINT64_MAX, PAST_MARK_GAP, mark,
						 SNAPSHOTS, &count),
				0);
			assert_int_equal(count, SNAPSHOTS);
			assert_true(i ? !looked : looked >= SNAPSHOTS);
		}
		a = recorded_open(folder, RECORDED_LIMIT);
		assert_int_equal(archive_add(a, view[0], PAST_MARK_OOM, 0), 0);
		looked = 0;
		assert_int_equal(archive_reader_marks(
					 r, 0, UINT64_MAX, PAST_MARK_OOM, mark, SNAPSHOTS, &count),
			0);
		assert_int_equal(count, 1);
		assert_in_range(looked, 1, 6); /* the new segment of each tier */
	}
	assert_int_equal(folder_remove(folder), 0);
}

/* Asserts that R finds snapshot I, and returns how many segments it opens for that. */
static unsigned int find_and_count(struct archive_reader *r, unsigned int i)
{
	struct archive_found found;
	const char *reason;

	looked = 0;
	assert_int_equal(archive_reader_find(r, PAST_AT, recorded_at(i), &found, &reason), 0);
	recorded_assert_same(found.view, view[i]);
	return looked;
}

/* The copy of a reader opens the segments that it decodes, and those that are new. */
static void test_copies(void **state)
{
	char folder[RECORDED_FOLDER_SIZE], name[SEGMENT_NAME_SIZE];
	char path[sizeof(folder) + sizeof(name)];

	(void)state;
	recorded_folder(folder);
	for (unsigned int i = 0; i < SNAPSHOTS - 1; i++) {
		AUTO_ARCHIVE struct archive *a = recorded_open(folder, RECORDED_LIMIT);

		assert_int_equal(archive_add(a, view[i], PAST_MARK_GAP, 0), 0);
	}
	{
		AUTO_ARCHIVE_READER struct archive_reader *r = recorded_reader(folder);
		AUTO_ARCHIVE_READER struct archive_reader *copy = NULL;
		AUTO_ARCHIVE struct archive *a = NULL;
		struct archive_mark mark;
		size_t count;

		assert_int_equal(
			archive_reader_marks(r, 0, UINT64_MAX, PAST_MARK_GAP, &mark, 1, &count), 0);
		assert_int_equal(count, SNAPSHOTS - 1);
		looked = 0;
		assert_int_equal(archive_reader_copy(r, &copy), 0);
		assert_int_equal(looked, 0);
		assert_in_range(find_and_count(copy, 1), 1, 6);
		a = recorded_open(folder, RECORDED_LIMIT);
		assert_int_equal(archive_add(a, view[SNAPSHOTS - 1], 0, 0), 0);
		segment_name(0, 1, name);
		snprintf(path, sizeof(path), "%s/%s", folder, name);
		assert_int_equal(unlink(path), 0);
		assert_in_range(find_and_count(copy, SNAPSHOTS - 1), 1, 6);
		r = archive_reader_close(r);
		find_and_count(copy, SNAPSHOTS / 2);
		assert_int_equal(
			archive_reader_marks(copy, 0, UINT64_MAX, PAST_MARK_GAP, &mark, 1, &count),
			0);
	}
	assert_int_equal(folder_remove(folder), 0);
}

static int make_views(void **state)
{
	for (unsigned int i = 0; i < SNAPSHOTS; i++)
		view[i] = recorded_view(i);
	return folder_enter(state);
}

static int free_views(void **state)
{
	for (unsigned int i = 0; i < SNAPSHOTS; i++)
		view_unref(view[i]);
	return folder_leave(state);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_writes),
		cmocka_unit_test(test_cuts),
		cmocka_unit_test(test_full),
		cmocka_unit_test(test_file_size),
		cmocka_unit_test(test_syncs),
		cmocka_unit_test(test_folders),
		cmocka_unit_test(test_opens),
		cmocka_unit_test(test_looks),
		cmocka_unit_test(test_reads),
		cmocka_unit_test(test_known_marks),
		cmocka_unit_test(test_copies),
		cmocka_unit_test(test_threads),
		cmocka_unit_test(test_removals),
		cmocka_unit_test(test_allocations),
	};

	return cmocka_run_group_tests(tests, make_views, free_views);
}
