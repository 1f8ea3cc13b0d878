/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests of inspect/pages/ownpages.h: a private mapping of a file, with pages copied or not, and
 * shared by a fork or not.
 */
#include "config.h"

#include "tests/unit/support/unit.h"

#include <fcntl.h>
#include <sys/mman.h>

#include "base/cleanup.h"
#include "inspect/pages/ownpages.h"
#include "tests/unit/support/process/waiter.h"

enum { PAGES = 64, COPIED = 10, AGAIN = 4, FAR = 48, LATER = 3 };

static size_t page_size;

static void write_pages(volatile char *block, size_t from, size_t count)
{
	for (size_t i = from; i < from + count; i++)
		block[i * page_size] = 'x';
}

static void read_pages(const volatile char *block, size_t from, size_t count)
{
	for (size_t i = from; i < from + count; i++)
		(void)block[i * page_size];
}

static char *map_private(void)
{
	AUTO_CLOSE int fd = memfd_create("ownpages", MFD_CLOEXEC);
	char *block;

	assert_int_equal(ftruncate(fd, (off_t)(PAGES * page_size)), 0);
	block = mmap(NULL, PAGES * page_size, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
	assert_true(block != MAP_FAILED);
	return block;
}

static uint64_t count_own(const char *block)
{
	AUTO_CLOSE int pagemap = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
	uint64_t start = (uint64_t)(uintptr_t)block, bytes = 0;

	assert_int_equal(ownpages_read(pagemap, start, start + PAGES * page_size, &bytes), 0);
	assert_int_equal(bytes % page_size, 0);
	return bytes / page_size;
}

static void counts_copied_pages_that_are_not_shared(void **state)
{
	char *block = map_private();
	pid_t child;

	(void)state;
	assert_int_equal(count_own(block), 0);
	read_pages(block, FAR, LATER);
	assert_int_equal(count_own(block), 0);
	write_pages(block, 0, COPIED);
	assert_int_equal(count_own(block), COPIED);
	child = waiter_start(NULL, NULL);
	assert_int_equal(count_own(block), 0);
	write_pages(block, 0, AGAIN);
	write_pages(block, FAR, LATER);
	assert_int_equal(count_own(block), AGAIN + LATER);
	waiter_end(child);
	assert_int_equal(count_own(block), COPIED + LATER);
	munmap(block, PAGES * page_size);
}

static void reads_several_pieces(void **state)
{
	enum { MANY = 5000 };
	char *block = mmap(
		NULL, MANY * page_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	AUTO_CLOSE int pagemap = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
	uint64_t start = (uint64_t)(uintptr_t)block, bytes = 0;

	(void)state;
	assert_true(block != MAP_FAILED);
	(void)madvise(block, MANY * page_size, MADV_NOHUGEPAGE);
	write_pages(block, 0, 1);
	write_pages(block, 2047, 2);
	write_pages(block, MANY - 1, 1);
	assert_int_equal(ownpages_read(pagemap, start, start + MANY * page_size, &bytes), 0);
	assert_int_equal(bytes, 4 * page_size);
	munmap(block, MANY * page_size);
}

static void reports_unreadable_pages(void **state)
{
	AUTO_CLOSE int pagemap = -1;
	pid_t child = waiter_start(NULL, NULL);
	uint64_t start = (uint64_t)(uintptr_t)state, bytes = 7;
	char path[64];

	(void)state;
	snprintf(path, sizeof(path), "/proc/%d/pagemap", (int)child);
	pagemap = open(path, O_RDONLY | O_CLOEXEC);
	assert_true(pagemap >= 0);
	waiter_end(child);
	start -= start % page_size;
	assert_int_equal(ownpages_read(pagemap, start, start + page_size, &bytes), OWNPAGES_GONE);
	assert_int_equal(ownpages_read(pagemap, 0, UINT64_C(1) << 40, &bytes), OWNPAGES_TOO_LARGE);
	assert_int_equal(ownpages_read(-1, start, start + page_size, &bytes), -EBADF);
	assert_int_equal(bytes, 7);
}

static int set_up(void **state)
{
	(void)state;
	page_size = (size_t)sysconf(_SC_PAGESIZE);
	return 0;
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(counts_copied_pages_that_are_not_shared),
		cmocka_unit_test(reads_several_pieces),
		cmocka_unit_test(reports_unreadable_pages),
	};

	return cmocka_run_group_tests(tests, set_up, NULL);
}
