/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests of inspect/frames/unmapped-pages.h with the test's own memory. Skipped if map_files cannot
 * be read.
 */
#include "config.h"

#include "tests/unit/support/unit.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "base/cleanup.h"
#include "inspect/frames/unmapped-pages.h"

enum { PAGES = 100 };

static int procfs_fd = -1;

/* mincore() reports every Nth page as absent; 0: none. */
static size_t absent_every;
static int mincore_error; /* errno of mincore(); 0: it works */

/*
 * At each mincore() the next page of this file is written and the present one is released, so that
 * the data moves away; -1: no file.
 */
static int fleeing_fd = -1;
static off_t fled;

static void flee(void)
{
	off_t page = (off_t)sysconf(_SC_PAGESIZE);

	assert_int_equal(pwrite(fleeing_fd, "x", 1, fled + page), 1);
	assert_int_equal(
		fallocate(fleeing_fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, fled, page), 0);
	fled += page;
}

int __real_mincore(void *block, size_t len, unsigned char *ret);
int __wrap_mincore(void *block, size_t len, unsigned char *ret);

int __wrap_mincore(void *block, size_t len, unsigned char *ret)
{
	int r = __real_mincore(block, len, ret);

	if (fleeing_fd >= 0)
		flee();
	if (mincore_error) {
		errno = mincore_error;
		return -1;
	}
	for (size_t i = 0; absent_every && i < len / (size_t)sysconf(_SC_PAGESIZE);
		i += absent_every)
		ret[i] = 0;
	return r;
}

/* Address at which the first statx() replaces the mapping; NULL: nowhere. */
static void *swapped_block;

static bool is_device; /* statx() reports a device */

int __real_statx(int dirfd, const char *path, int flags, unsigned int mask, struct statx *ret);
int __wrap_statx(int dirfd, const char *path, int flags, unsigned int mask, struct statx *ret);

int __wrap_statx(int dirfd, const char *path, int flags, unsigned int mask, struct statx *ret)
{
	int r = __real_statx(dirfd, path, flags, mask, ret);

	/* The file may be on a file system that never answers. */
	assert_true(flags & AT_STATX_DONT_SYNC);
	if (is_device)
		ret->stx_mode = S_IFCHR | 0600;
	if (swapped_block)
		assert_true(
			mmap(swapped_block, PAGES * (size_t)sysconf(_SC_PAGESIZE), PROT_READ,
				MAP_SHARED | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == swapped_block);
	swapped_block = NULL;
	return r;
}

static size_t page_size(void)
{
	return (size_t)sysconf(_SC_PAGESIZE);
}

/* The file mapped at BLOCK, of which MET pages were found in page tables. */
static struct shmem_file file_at(const void *block, uint64_t met)
{
	struct shmem_file file = {.is_mapped = true,
		.pid = getpid(),
		.start = (uint64_t)(uintptr_t)block,
		.end = (uint64_t)(uintptr_t)block + PAGES * page_size(),
		.met = met};
	struct stat found;
	char path[80];

	snprintf(path, sizeof(path), "self/map_files/%llx-%llx", (unsigned long long)file.start,
		(unsigned long long)file.end);
	if (fstatat(procfs_fd, path, &found, 0) < 0)
		skip();
	file.major = major(found.st_dev);
	file.minor = minor(found.st_dev);
	file.inode = found.st_ino;
	return file;
}

static void *map(int fd, int flags)
{
	void *block = mmap(
		NULL, PAGES * page_size(), PROT_READ | PROT_WRITE, MAP_SHARED | flags, fd, 0);

	assert_true(block != MAP_FAILED);
	madvise(block, PAGES * page_size(), MADV_NOHUGEPAGE);
	return block;
}

static void check(const struct shmem_file *file, bool is_swapping, uint64_t pages, bool is_kept)
{
	struct shmem_file f = *file;

	assert_int_equal(unmapped_pages_read(procfs_fd, &f, is_swapping), 0);
	assert_int_equal(f.unmapped_bytes, pages * page_size());
	assert_int_equal(f.is_kept, is_kept);
	assert_true(f.is_known);
}

static void pages_outside_page_tables_are_unmapped(void **state)
{
	unsigned int before = unit_descriptors();
	char *block = map(-1, MAP_ANONYMOUS);
	struct shmem_file file = file_at(block, 0);

	(void)state;
	check(&file, false, 0, false);
	for (size_t i = 0; i < PAGES / 2; i++)
		block[2 * i * page_size()] = 1;
	check(&file, false, PAGES / 2, false);
	/* Page by page the result is the same if nothing is in swap. */
	check(&file, true, PAGES / 2, false);
	file.met = 20;
	check(&file, false, PAGES / 2 - 20, false);
	check(&file, true, PAGES / 2 - 20, false);
	/* Pages that were found and have been released since. */
	file.met = PAGES;
	check(&file, false, 0, false);
	munmap(block, PAGES * page_size());
	assert_int_equal(unit_descriptors(), before);
}

static void allocated_pages_without_data_count(void **state)
{
	AUTO_CLOSE int fd = memfd_create("a", MFD_CLOEXEC);
	struct shmem_file file;
	void *block;

	(void)state;
	assert_int_equal(ftruncate(fd, (off_t)(PAGES * page_size())), 0);
	assert_int_equal(fallocate(fd, 0, 0, (off_t)(30 * page_size())), 0);
	assert_int_equal(pwrite(fd, "x", 1, (off_t)((PAGES - 1) * page_size())), 1);
	block = map(fd, 0);
	file = file_at(block, 0);
	check(&file, false, 31, false);
	check(&file, true, 31, false);
	munmap(block, PAGES * page_size());
}

/* Swapped pages are allocated too. Unwritten pages cannot be in swap. */
static void swapped_pages_are_left_out(void **state)
{
	AUTO_CLOSE int fd = memfd_create("a", MFD_CLOEXEC);
	struct shmem_file file;
	char *block;

	(void)state;
	assert_int_equal(ftruncate(fd, (off_t)(PAGES * page_size())), 0);
	assert_int_equal(fallocate(fd, 0, 0, (off_t)(30 * page_size())), 0);
	block = map(fd, 0);
	for (size_t i = 40; i < 60; i++)
		block[i * page_size()] = 1;
	file = file_at(block, 4);
	absent_every = 5;
	check(&file, true, 30 + 20 - 4 - 4, false);
	check(&file, false, 30 + 20 - 4, false);
	absent_every = 0;
	check(&file, true, 30 + 20 - 4, false);
	/* A file that cannot be examined is skipped, unless memory is short. */
	mincore_error = EAGAIN;
	file.is_known = false;
	assert_int_equal(unmapped_pages_read(procfs_fd, &file, true), UNMAPPED_PAGES_GONE);
	assert_false(file.is_known);
	mincore_error = ENOMEM;
	assert_int_equal(unmapped_pages_read(procfs_fd, &file, true), -ENOMEM);
	mincore_error = 0;
	munmap(block, PAGES * page_size());
}

static void name_keeps_a_file(void **state)
{
	char path[] = "/dev/shm/memtally-remnant-XXXXXX";
	AUTO_CLOSE int fd = mkstemp(path);
	struct shmem_file file;
	void *block;

	(void)state;
	if (fd < 0)
		skip();
	assert_int_equal(ftruncate(fd, (off_t)(PAGES * page_size())), 0);
	assert_int_equal(pwrite(fd, "x", 1, 0), 1);
	block = map(fd, 0);
	file = file_at(block, 0);
	check(&file, false, 1, true);
	assert_int_equal(unlink(path), 0);
	check(&file, false, 1, false);
	munmap(block, PAGES * page_size());
}

static void segment_is_kept_until_it_is_removed(void **state)
{
	int id = shmget(IPC_PRIVATE, PAGES * page_size(), IPC_CREAT | 0600);
	char *block = id < 0 ? (void *)-1 : shmat(id, NULL, 0);
	struct shmem_file file;

	(void)state;
	if (block == (void *)-1)
		skip();
	block[0] = 1;
	file = file_at(block, 0);
	assert_int_equal(file.inode, id);
	file.what = SHMEM_FILE_SYSV;
	check(&file, false, 1, true);
	assert_int_equal(shmctl(id, IPC_RMID, NULL), 0);
	check(&file, false, 1, false);
	shmdt(block);
}

static void skips_objects_that_are_gone(void **state)
{
	void *block = map(-1, MAP_ANONYMOUS), *other = map(-1, MAP_ANONYMOUS);
	struct shmem_file file = file_at(block, 0), gone = file;

	(void)state;
	/* Another object is mapped there by now. */
	file.start = (uint64_t)(uintptr_t)other;
	file.end = file.start + PAGES * page_size();
	assert_int_equal(unmapped_pages_read(procfs_fd, &file, false), UNMAPPED_PAGES_GONE);
	munmap(other, PAGES * page_size());
	munmap(block, PAGES * page_size());
	assert_int_equal(unmapped_pages_read(procfs_fd, &gone, false), UNMAPPED_PAGES_GONE);
	assert_false(gone.is_known);
}

/* Inode numbers are reused, devices too, and each device has its own numbers. */
static void skips_other_files(void **state)
{
	void *block = map(-1, MAP_ANONYMOUS);
	const struct shmem_file file = file_at(block, 0);
	struct shmem_file other[] = {file, file, file};

	(void)state;
	other[0].inode++;
	other[1].major++;
	other[2].minor++;
	for (size_t i = 0; i < ARRAY_SIZE(other); i++) {
		assert_int_equal(
			unmapped_pages_read(procfs_fd, &other[i], false), UNMAPPED_PAGES_GONE);
		assert_false(other[i].is_known);
	}
	check(&file, false, 0, false);
	munmap(block, PAGES * page_size());
}

/* Opening a device may have effects. */
static void skips_devices(void **state)
{
	char *block = map(-1, MAP_ANONYMOUS);
	struct shmem_file file = file_at(block, 0);

	(void)state;
	block[0] = 1;
	is_device = true;
	assert_int_equal(unmapped_pages_read(procfs_fd, &file, true), UNMAPPED_PAGES_GONE);
	assert_false(file.is_known);
	is_device = false;
	munmap(block, PAGES * page_size());
}

/* The file that was examined is the one that is read, whatever is mapped there by then. */
static void reads_the_file_that_was_examined(void **state)
{
	char *block = map(-1, MAP_ANONYMOUS);
	struct shmem_file file = file_at(block, 0);

	(void)state;
	block[0] = 1;
	swapped_block = block;
	check(&file, true, 1, false);
	assert_null(swapped_block);
	assert_int_equal(unmapped_pages_read(procfs_fd, &file, true), UNMAPPED_PAGES_GONE);
	munmap(block, PAGES * page_size());
}

/* The owner writes ahead of the reader and releases pages behind it. */
static void abandons_files_that_change_while_they_are_read(void **state)
{
	AUTO_CLOSE int fd = memfd_create("a", MFD_CLOEXEC);
	struct shmem_file file;
	void *block;

	(void)state;
	assert_int_equal(ftruncate(fd, (off_t)1 << 40), 0);
	assert_int_equal(pwrite(fd, "x", 1, 0), 1);
	block = map(fd, 0);
	file = file_at(block, 0);
	fleeing_fd = fd;
	alarm(20);
	assert_int_equal(unmapped_pages_read(procfs_fd, &file, true), UNMAPPED_PAGES_GONE);
	alarm(0);
	assert_true(fled / (off_t)page_size() < 10);
	fleeing_fd = -1;
	munmap(block, PAGES * page_size());
}

static int set_up(void **state)
{
	(void)state;
	procfs_fd = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return procfs_fd < 0;
}

static int tear_down(void **state)
{
	(void)state;
	close(procfs_fd);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pages_outside_page_tables_are_unmapped),
		cmocka_unit_test(allocated_pages_without_data_count),
		cmocka_unit_test(swapped_pages_are_left_out),
		cmocka_unit_test(name_keeps_a_file),
		cmocka_unit_test(segment_is_kept_until_it_is_removed),
		cmocka_unit_test(skips_objects_that_are_gone),
		cmocka_unit_test(skips_other_files),
		cmocka_unit_test(skips_devices),
		cmocka_unit_test(reads_the_file_that_was_examined),
		cmocka_unit_test(abandons_files_that_change_while_they_are_read),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
