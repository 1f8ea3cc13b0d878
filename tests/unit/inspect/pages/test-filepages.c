/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests with this process's own pages, by the kernel's scan (PAGEMAP_SCAN) and entry by entry, and
 * with a file that looks like a pagemap.
 */
#include "config.h"

#include "tests/unit/support/unit.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "base/cleanup.h"
#include "inspect/pages/filepages.h"
#include "inspect/pages/pagemap.h"

enum { PAGES = 4096, RUNS_MAX = 1000 };

struct run {
	uint64_t first, pages; /* relative to .base */
};

struct taken {
	uint64_t base, page_size;
	struct run run[RUNS_MAX];
	size_t runs;
	uint64_t pages;
	int answer;
};

static int take(uint64_t address, uint64_t pages, void *context)
{
	struct taken *t = context;
	uint64_t first = (address - t->base) / t->page_size;

	t->pages += pages;
	assert_true(t->runs < RUNS_MAX);
	if (t->runs && t->run[t->runs - 1].first + t->run[t->runs - 1].pages == first)
		t->run[t->runs - 1].pages += pages;
	else
		t->run[t->runs++] = (struct run){first, pages};
	return t->answer;
}

static struct filepages of(int fd, struct taken *t)
{
	t->page_size = (uint64_t)sysconf(_SC_PAGESIZE);
	return (struct filepages){.fd = fd, .page_size = t->page_size, .take = take, .context = t};
}

static int own_pagemap(void)
{
	int fd = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		skip();
	return fd;
}

/*
 * Writes to pages 3 to 6, 100, and every second one from 1000 on, one at a time, so that no
 * neighbours become resident.
 */
static volatile char *make_pages(int prot_flags, size_t page_size)
{
	AUTO_CLOSE int fd = memfd_create("pages", MFD_CLOEXEC);
	volatile char *at;

	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, (off_t)(PAGES * page_size)), 0);
	at = mmap(NULL, PAGES * page_size, PROT_READ | PROT_WRITE, prot_flags, fd, 0);
	assert_ptr_not_equal(at, MAP_FAILED);
	for (size_t i = 3; i <= 6; i++)
		at[i * page_size] = 'x';
	at[100 * page_size] = 'x';
	for (size_t i = 1000; i < 2400; i += 2)
		at[i * page_size] = 'x';
	return at;
}

static void check_pages(const struct taken *t)
{
	assert_int_equal(t->pages, 705);
	assert_int_equal(t->runs, 702);
	assert_int_equal(t->run[0].first, 3);
	assert_int_equal(t->run[0].pages, 4);
	assert_int_equal(t->run[1].first, 100);
	assert_int_equal(t->run[701].first, 2398);
	assert_int_equal(t->run[701].pages, 1);
}

static void both_ways_find_the_same(void **state)
{
	size_t page_size = (size_t)sysconf(_SC_PAGESIZE);
	volatile char *at = make_pages(MAP_SHARED, page_size);
	AUTO_CLOSE int fd = own_pagemap();
	uint64_t start = (uint64_t)(uintptr_t)at;

	(void)state;
	for (unsigned int has_no_scan = 0; has_no_scan < 2; has_no_scan++) {
		struct taken t = {.base = start};
		struct filepages f = of(fd, &t);

		f.has_no_scan = has_no_scan;
		assert_int_equal(filepages_read(&f, start, start + PAGES * page_size, PAGES), 0);
		check_pages(&t);
		/* A limit on the number of pages stops the scan before the end. */
		t = (struct taken){.base = start};
		f = of(fd, &t);
		f.has_no_scan = has_no_scan;
		assert_int_equal(filepages_read(&f, start, start + PAGES * page_size, 3), 0);
		assert_true(t.pages >= 3 && t.pages < 705);
		/* The function that takes the ranges may stop the scan. */
		t = (struct taken){.base = start, .answer = -ENOSPC};
		f = of(fd, &t);
		f.has_no_scan = has_no_scan;
		assert_int_equal(
			filepages_read(&f, start, start + PAGES * page_size, PAGES), -ENOSPC);
		assert_int_equal(t.runs, 1);
	}
	munmap((void *)at, PAGES * page_size);
}

static void private_copies_do_not_count(void **state)
{
	size_t page_size = (size_t)sysconf(_SC_PAGESIZE);
	volatile char *at = make_pages(MAP_PRIVATE, page_size);
	AUTO_CLOSE int fd = own_pagemap();
	uint64_t start = (uint64_t)(uintptr_t)at;

	(void)state;
	for (unsigned int has_no_scan = 0; has_no_scan < 2; has_no_scan++) {
		struct taken t = {.base = start};
		struct filepages f = of(fd, &t);

		f.has_no_scan = has_no_scan;
		assert_int_equal(filepages_read(&f, start, start + PAGES * page_size, PAGES), 0);
		assert_int_equal(t.pages, 0);
	}
	munmap((void *)at, PAGES * page_size);
}

/*
 * 16 TiB with one page at the end take next to no time by the scan. Entry by entry the range is
 * refused.
 */
static void empty_ranges_cost_nothing(void **state)
{
	uint64_t size = UINT64_C(1) << 44;
	size_t page_size = (size_t)sysconf(_SC_PAGESIZE);
	AUTO_CLOSE int fd = own_pagemap(), file = memfd_create("large", MFD_CLOEXEC);
	struct taken t = {0};
	struct filepages f = of(fd, &t);
	volatile char *at;

	(void)state;
	assert_int_equal(ftruncate(file, (off_t)size), 0);
	at = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, file, 0);
	if (at == MAP_FAILED)
		skip();
	at[size - page_size] = 'x';
	t.base = (uint64_t)(uintptr_t)at;
	assert_int_equal(filepages_read(&f, t.base, t.base + size, 1),
		f.has_no_scan ? FILEPAGES_TOO_LARGE : 0);
	if (!f.has_no_scan)
		assert_int_equal(t.run[0].first, size / page_size - 1);
	f.has_no_scan = true;
	assert_int_equal(filepages_read(&f, t.base, t.base + size, 1), FILEPAGES_TOO_LARGE);
	munmap((void *)at, size);
}

static void an_address_space_may_be_gone(void **state)
{
	size_t page_size = (size_t)sysconf(_SC_PAGESIZE);
	volatile char *at = make_pages(MAP_SHARED, page_size);
	uint64_t start = (uint64_t)(uintptr_t)at;
	AUTO_CLOSE int fd = -1;
	char path[64];
	pid_t pid = fork();

	(void)state;
	if (!pid)
		for (;;)
			pause();
	snprintf(path, sizeof(path), "/proc/%d/pagemap", (int)pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	if (fd < 0)
		skip();
	for (unsigned int has_no_scan = 0; has_no_scan < 2; has_no_scan++) {
		struct taken t = {.base = start};
		struct filepages f = of(fd, &t);

		f.has_no_scan = has_no_scan;
		assert_int_equal(filepages_read(&f, start, start + PAGES * page_size, PAGES),
			FILEPAGES_GONE);
	}
	munmap((void *)at, PAGES * page_size);
}

/*
 * A file that is no pagemap cannot be scanned, so it is read. A page that is being migrated is
 * resident.
 */
static void entries_of_a_file(void **state)
{
	static const uint64_t entry[] = {0, PAGEMAP_FILE | PAGEMAP_PRESENT, PAGEMAP_PRESENT,
		PAGEMAP_FILE, PAGEMAP_FILE | PAGEMAP_SWAPPED, PAGEMAP_FILE | PAGEMAP_PRESENT,
		PAGEMAP_SWAPPED};
	AUTO_CLOSE int fd = memfd_create("entries", MFD_CLOEXEC);
	struct taken t = {0};
	struct filepages f = of(fd, &t);

	(void)state;
	assert_int_equal(write(fd, entry, sizeof(entry)), sizeof(entry));
	assert_int_equal(filepages_read(&f, 0, ARRAY_SIZE(entry) * t.page_size, 100), 0);
	assert_true(f.has_no_scan);
	assert_int_equal(t.runs, 2);
	assert_int_equal(t.run[0].first, 1);
	assert_int_equal(t.run[0].pages, 1);
	assert_int_equal(t.run[1].first, 4);
	assert_int_equal(t.run[1].pages, 2);
	assert_int_equal(filepages_read(&f, 0, 8 * t.page_size, 100), FILEPAGES_GONE);
	f = of(-1, &t);
	assert_int_equal(filepages_read(&f, 0, t.page_size, 1), -EBADF);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(both_ways_find_the_same),
		cmocka_unit_test(private_copies_do_not_count),
		cmocka_unit_test(empty_ranges_cost_nothing),
		cmocka_unit_test(an_address_space_may_be_gone),
		cmocka_unit_test(entries_of_a_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
