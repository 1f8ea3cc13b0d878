/* SPDX-License-Identifier: Apache-2.0 */
/* The test's own pages: which are there is known, and everybody may see that of himself. */
#include "config.h"

#include "tests/unit/unit.h"

#include <fcntl.h>
#include <sys/mman.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "inside/pagemap.h"
#include "inside/pagesweep.h"

enum { PAGES = 1500 };

/* Where .is_set, time goes on by so much with each look at it; and how often, and how long, was paused. */
static struct {
	bool is_set;
	uint64_t now_ns, step_ns;
	unsigned int pauses;
} fake;

static unsigned int reads; /* of pagemap */

ssize_t __real_pread(int fd, void *to, size_t len, off_t at);
ssize_t __wrap_pread(int fd, void *to, size_t len, off_t at);

ssize_t __wrap_pread(int fd, void *to, size_t len, off_t at)
{
	reads++;
	return __real_pread(fd, to, len, at);
}

int __real_clock_gettime(clockid_t clock, struct timespec *ret);
int __wrap_clock_gettime(clockid_t clock, struct timespec *ret);
int __real_nanosleep(const struct timespec *span, struct timespec *rest);
int __wrap_nanosleep(const struct timespec *span, struct timespec *rest);

int __wrap_clock_gettime(clockid_t clock, struct timespec *ret)
{
	if (!fake.is_set)
		return __real_clock_gettime(clock, ret);
	fake.now_ns += fake.step_ns;
	*ret = (struct timespec){.tv_sec = (time_t)(fake.now_ns / NS_PER_SEC),
		.tv_nsec = (long)(fake.now_ns % NS_PER_SEC)};
	return 0;
}

int __wrap_nanosleep(const struct timespec *span, struct timespec *rest)
{
	if (!fake.is_set)
		return __real_nanosleep(span, rest);
	assert_int_equal(span->tv_sec, 0);
	assert_int_equal(span->tv_nsec, NS_PER_MSEC);
	fake.pauses++;
	return 0;
}

/* What was told of the pages from .start on. */
struct seen {
	uint64_t start;
	unsigned char here[PAGES];
	uint64_t calls, last;
	int result;
};

static int take(uint64_t start, const uint64_t *entry, size_t count, void *context)
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	struct seen *seen = context;

	assert_in_range(count, 1, PAGESWEEP_ENTRIES);
	assert_true(start >= seen->last);
	seen->last = start + count * page;
	seen->calls++;
	for (size_t i = 0; i < count; i++) {
		uint64_t address = start + i * page;

		if (address >= seen->start && address < seen->start + PAGES * page &&
			entry[i] & PAGEMAP_PRESENT)
			seen->here[(address - seen->start) / page]++;
	}
	return seen->result;
}

static int walk_by(struct pagesweep *w, const char *file)
{
	AUTO_CLOSE int maps = open(file, O_RDONLY | O_CLOEXEC);
	AUTO_CLOSE int pagemap = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);

	assert_true(maps >= 0 && pagemap >= 0);
	return pagesweep_read(w, maps, pagemap);
}

static int walk(struct pagesweep *w)
{
	return walk_by(w, "/proc/self/maps");
}

/* Pages, of which the last and, from the first on, each STEPth is there. */
static char *make(struct seen *seen, size_t step)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	char *pages = mmap(NULL, PAGES * page, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	assert_true(pages != MAP_FAILED);
	madvise(pages, PAGES * page, MADV_NOHUGEPAGE);
	for (size_t i = 0; i < PAGES; i += step)
		pages[i * page] = 1;
	pages[(PAGES - 1) * page] = 1;
	*seen = (struct seen){.start = (uint64_t)(uintptr_t)pages};
	return pages;
}

static void check(const struct seen *seen, size_t step)
{
	for (size_t i = 0; i < PAGES; i++)
		assert_int_equal(seen->here[i], i % step == 0 || i == PAGES - 1);
}

static void each_page_that_is_there_is_told_once(void **state)
{
	size_t size = PAGES * (size_t)sysconf(_SC_PAGESIZE);

	(void)state;
	for (unsigned int i = 0; i < 6; i++) {
		const size_t steps[] = {1, 7, 600};
		struct seen seen;
		char *pages = make(&seen, steps[i / 2]);
		/* Terabytes of a sanitizer's would be read through. */
		struct pagesweep w = {
			.take = take, .context = &seen, .cannot_scan = i % 2 && !SANITIZED};
		assert_int_equal(walk(&w), 0);
		check(&seen, steps[i / 2]);
		munmap(pages, size);
	}
}

/* A sanitizer has reserved terabytes already, all the same it is no work. */
static void what_is_empty_is_passed_over(void **state)
{
	const size_t size = (size_t)1 << 40;
	struct seen seen;
	char *pages = make(&seen, 7);
	char *empty = mmap(NULL, size, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	struct pagesweep w = {.take = take, .context = &seen};

	(void)state;
	if (empty == MAP_FAILED)
		skip();
	assert_int_equal(walk(&w), 0);
	check(&seen, 7);
	if (!w.cannot_scan)
		assert_true(seen.calls < 10000);
	munmap(empty, size);
	munmap(pages, PAGES * (size_t)sysconf(_SC_PAGESIZE));
}

/* The same where the kernel can't be asked what is there. */
static void by_smaps_too(void **state)
{
	const size_t size = (size_t)1 << 40;
	struct seen seen;
	char *pages = make(&seen, 7);
	char *empty = mmap(
		NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	struct pagesweep w = {.take = take, .context = &seen, .cannot_scan = true};

	(void)state;
	if (empty == MAP_FAILED || SANITIZED) /* the shadow is terabytes that are nearly empty */
		skip();
	reads = 0;
	assert_int_equal(walk_by(&w, "/proc/self/smaps"), 0);
	check(&seen, 7);
	assert_true(reads < 5000);
	munmap(empty, size);
	munmap(pages, PAGES * (size_t)sysconf(_SC_PAGESIZE));
}

static void whoever_takes_may_end_it(void **state)
{
	struct seen seen = {.result = 42};
	struct pagesweep w = {.take = take, .context = &seen};

	(void)state;
	assert_int_equal(walk(&w), 42);
	assert_int_equal(seen.calls, 1);
}

/* Of calls that take a quarter of a millisecond each, four follow each other. */
static void there_are_pauses(void **state)
{
	struct seen seen;
	char *pages = make(&seen, 1);
	struct pagesweep w = {.take = take, .context = &seen};

	(void)state;
	if (SANITIZED)
		skip(); /* how many looks its terabytes take is the kernel's */
	fake.is_set = true;
	fake.step_ns = NS_PER_MSEC / 4;
	assert_int_equal(walk(&w), 0);
	/* Each of those that read was a call, and so was each look for what is there; after a pause there is one look more. */
	assert_in_range(fake.pauses, seen.calls / 5, seen.calls);
	fake.pauses = 0;
	fake.step_ns = 1;
	seen.last = 0;
	assert_int_equal(walk(&w), 0);
	fake.is_set = false;
	assert_int_equal(fake.pauses, 0);
	munmap(pages, PAGES * (size_t)sysconf(_SC_PAGESIZE));
}

static void what_is_no_maps_is_refused(void **state)
{
	AUTO_CLOSE int maps = open("/proc/self/status", O_RDONLY | O_CLOEXEC);
	AUTO_CLOSE int pagemap = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
	struct seen seen = {0};
	struct pagesweep w = {.take = take, .context = &seen};

	(void)state;
	assert_int_equal(pagesweep_read(&w, maps, pagemap), -EBADMSG);
	assert_int_equal(seen.calls, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_page_that_is_there_is_told_once),
		cmocka_unit_test(what_is_empty_is_passed_over),
		cmocka_unit_test(by_smaps_too),
		cmocka_unit_test(whoever_takes_may_end_it),
		cmocka_unit_test(there_are_pauses),
		cmocka_unit_test(what_is_no_maps_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
