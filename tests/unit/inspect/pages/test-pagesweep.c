/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests of inspect/pages/pagesweep.h with this process's own pages, which are known and readable.
 */
#include "config.h"

#include "tests/unit/support/unit.h"

#include <fcntl.h>
#include <sys/mman.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "inspect/pages/pagemap.h"
#include "inspect/pages/pagesweep.h"

enum { PAGES = 1500 };

/* If .is_set, each reading of the clock moves it by .step_ns, and pauses are only counted. */
static struct {
	bool is_set;
	uint64_t now_ns, step_ns;
	unsigned int pauses;
} fake;

static unsigned int reads; /* number of reads of pagemap */

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

/* How often each page from .start on was reported as present. */
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

/* Maps PAGES pages. Touches every STEPth, beginning with the first, and the last. */
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

static void reports_each_present_page_once(void **state)
{
	size_t size = PAGES * (size_t)sysconf(_SC_PAGESIZE);

	(void)state;
	for (unsigned int i = 0; i < 6; i++) {
		const size_t steps[] = {1, 7, 600};
		struct seen seen;
		char *pages = make(&seen, steps[i / 2]);
		/* Not with sanitizers: their terabytes of shadow memory would be read. */
		struct pagesweep w = {
			.take = take, .context = &seen, .cannot_scan = i % 2 && !SANITIZED};
		assert_int_equal(walk(&w), 0);
		check(&seen, steps[i / 2]);
		munmap(pages, size);
	}
}

/* Sanitizers have reserved terabytes already, which takes no time either. */
static void skips_empty_ranges(void **state)
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

/* The same if the kernel cannot scan for present pages: smaps tells which mappings are empty. */
static void skips_empty_mappings_by_smaps(void **state)
{
	const size_t size = (size_t)1 << 40;
	struct seen seen;
	char *pages = make(&seen, 7);
	char *empty = mmap(
		NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	struct pagesweep w = {.take = take, .context = &seen, .cannot_scan = true};

	(void)state;
	/* its shadow memory is terabytes that are nearly empty */
	if (empty == MAP_FAILED || SANITIZED)
		skip();
	reads = 0;
	assert_int_equal(walk_by(&w, "/proc/self/smaps"), 0);
	check(&seen, 7);
	assert_true(reads < 5000);
	munmap(empty, size);
	munmap(pages, PAGES * (size_t)sysconf(_SC_PAGESIZE));
}

static void taker_can_stop_the_sweep(void **state)
{
	struct seen seen = {.result = 42};
	struct pagesweep w = {.take = take, .context = &seen};

	(void)state;
	assert_int_equal(walk(&w), 42);
	assert_int_equal(seen.calls, 1);
}

/* With a quarter of a millisecond per call, a pause follows every four calls. */
static void pauses_after_each_millisecond(void **state)
{
	struct seen seen;
	char *pages = make(&seen, 1);
	struct pagesweep w = {.take = take, .context = &seen};

	(void)state;
	if (SANITIZED)
		skip(); /* the number of scans of its terabytes depends on the kernel */
	fake.is_set = true;
	fake.step_ns = NS_PER_MSEC / 4;
	assert_int_equal(walk(&w), 0);
	/* Each read and each scan is a call, and a scan is repeated after a pause. */
	assert_in_range(fake.pauses, seen.calls / 5, seen.calls);
	fake.pauses = 0;
	fake.step_ns = 1;
	seen.last = 0;
	assert_int_equal(walk(&w), 0);
	fake.is_set = false;
	assert_int_equal(fake.pauses, 0);
	munmap(pages, PAGES * (size_t)sysconf(_SC_PAGESIZE));
}

static void refuses_other_files(void **state)
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
		cmocka_unit_test(reports_each_present_page_once),
		cmocka_unit_test(skips_empty_ranges),
		cmocka_unit_test(skips_empty_mappings_by_smaps),
		cmocka_unit_test(taker_can_stop_the_sweep),
		cmocka_unit_test(pauses_after_each_millisecond),
		cmocka_unit_test(refuses_other_files),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
