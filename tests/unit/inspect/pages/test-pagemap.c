/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests of inspect/pages/pagemap.h and inspect/pages/pagewalk.h with this program's own memory, and
 * with a file in place of pagemap.
 */
#include "config.h"

#include "tests/unit/support/unit.h"
#include "tests/unit/support/inspect/zeropage.h"

#include <fcntl.h>
#include <stdarg.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "inspect/pages/pagemap.h"
#include "inspect/pages/pagewalk.h"

enum { PAGES = 16 };

static const struct pagemap_wanted present = {
	.any_of = PAGEMAP_IS_PRESENT | PAGEMAP_IS_SWAPPED, .told = PAGEMAP_IS_PRESENT};

/*
 * Size of the largest range that a scan was asked for (words 2 and 3 of struct pm_scan_arg in
 * linux/fs.h), and the number of scans.
 */
static uint64_t longest;
static unsigned int scans;

int __real_ioctl(int fd, unsigned long request, void *argument);
int __wrap_ioctl(int fd, unsigned long request, ...);

int __wrap_ioctl(int fd, unsigned long request, ...)
{
	const uint64_t *words;
	va_list list;
	void *argument;

	va_start(list, request);
	argument = va_arg(list, void *);
	va_end(list);
	words = argument;
	if (_IOC_TYPE(request) == 'f' && words[3] - words[2] > longest)
		longest = words[3] - words[2];
	scans++;
	return __real_ioctl(fd, request, argument);
}

static void splits_entries(void **state)
{
	const uint64_t number = (UINT64_C(1) << PAGEMAP_FRAME_BITS) - 1;

	(void)state;
	assert_int_equal(pagemap_frame(PAGEMAP_PRESENT | PAGEMAP_EXCLUSIVE | 77), 77);
	assert_int_equal(pagemap_frame(~PAGEMAP_SWAPPED), number);
	assert_int_equal(pagemap_frame(PAGEMAP_SWAPPED | 77), 0);
	assert_int_equal(pagemap_swap(PAGEMAP_SWAPPED | 77), 77);
	/*
	 * Page 5 of swap area 22. Guard pages and pages under migration use the types above, which
	 * are no swap areas.
	 */
	assert_int_equal(pagemap_swap(PAGEMAP_SWAPPED | 5 << 5 | 22), 5 << 5 | 22);
	for (uint64_t type = 23; type < 32; type++)
		assert_int_equal(pagemap_swap(PAGEMAP_SWAPPED | 5 << 5 | type), 0);
	assert_int_equal(pagemap_swap(PAGEMAP_PRESENT | 77), 0);
	assert_int_equal(pagemap_swap(0), 0);
}

/* As pread() returns it: pages past the end are absent, and a cut entry is ignored. */
static void reads_entries_by_page(void **state)
{
	AUTO_CLOSE int fd = open(".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	const uint64_t written[] = {PAGEMAP_PRESENT | 1, 0, PAGEMAP_SWAPPED | 2};
	uint64_t size = pagewalk_page_size(), found[8] = {0}, end;
	struct pagemap_region region;
	size_t count;

	(void)state;
	if (fd < 0)
		skip();
	assert_int_equal(pwrite(fd, written, sizeof(written), 5 * 8), sizeof(written));
	assert_int_equal(pwrite(fd, "cut", 3, 8 * 8), 3);
	assert_int_equal(pagemap_read(fd, 5 * size, found, 8, &count), 0);
	assert_int_equal(count, 3);
	assert_memory_equal(found, written, sizeof(written));
	assert_int_equal(pagemap_read(fd, 6 * size + 1, found, 1, &count), 0);
	assert_int_equal(count, 1);
	assert_int_equal(found[0], 0);
	assert_int_equal(pagemap_read(fd, 9 * size, found, 8, &count), 0);
	assert_int_equal(count, 0);
	assert_int_equal(pagemap_read(-1, 0, found, 8, &count), -EBADF);
	assert_int_equal(
		pagemap_scan(fd, &present, 0, 8 * size, &region, 1, &count, &end), -ENOTTY);
}

struct seen {
	struct page page[PAGES];
	size_t count;
};

static int take(const struct page *p, void *context)
{
	struct seen *s = context;

	assert_true(s->count < PAGES);
	s->page[s->count++] = *p;
	return 0;
}

static char *map_pages(int flags)
{
	char *memory = mmap(NULL, PAGES * pagewalk_page_size(), PROT_READ | PROT_WRITE,
		flags | MAP_ANONYMOUS, -1, 0);

	assert_true(memory != MAP_FAILED);
	madvise(memory, PAGES * pagewalk_page_size(), MADV_NOHUGEPAGE);
	return memory;
}

static struct seen walk(struct pagewalk *w, const char *memory)
{
	uint64_t start = (uint64_t)(uintptr_t)memory;
	struct seen s = {.count = 0};

	assert_int_equal(
		pagewalk(w, start, start + PAGES * pagewalk_page_size(), false, take, &s), 0);
	return s;
}

/* Scanning and reading find the same pages. */
static void finds_own_pages(void **state)
{
	AUTO_CLOSE int fd = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
	uint64_t size = pagewalk_page_size();
	char *private = map_pages(MAP_PRIVATE), *shared = map_pages(MAP_SHARED);
	struct pagewalk w = {.fd = fd};
	struct seen s;

	(void)state;
	assert_true(fd >= 0);
	private[2 * size] = private[3 * size] = private[15 * size] = 1;
	shared[7 * size] = 1;
	for (int i = 0; i < 2; i++) {
		w.cannot_scan |= i;
		s = walk(&w, private);
		assert_int_equal(s.count, 3);
		assert_true(s.page[0].address == (uint64_t)(uintptr_t) private + 2 * size);
		assert_true(s.page[2].address == (uint64_t)(uintptr_t) private + 15 * size);
		assert_int_equal(s.page[0].state, PAGE_RESIDENT);
		assert_true(s.page[0].is_exclusive && !s.page[0].is_file && !s.page[0].knows_frame);
		s = walk(&w, shared);
		assert_int_equal(s.count, 1);
		assert_true(s.page[0].is_exclusive && s.page[0].is_file);
	}
	munmap(private, PAGES * size);
	munmap(shared, PAGES * size);
}

struct counted {
	uint64_t pages, sum;
};

static int count(const struct page *p, void *context)
{
	struct counted *c = context;

	c->pages++;
	c->sum += p->address;
	return 0;
}

/* More regions than one scan returns, and more pages than the kernel scans at once. */
static void finds_all_pages_of_a_large_range(void **state)
{
	enum { MANY = 40000 };
	AUTO_CLOSE int fd = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
	uint64_t size = pagewalk_page_size(), start;
	struct pagewalk w = {.fd = fd};
	char *memory = mmap(
		NULL, MANY * size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	(void)state;
	assert_true(memory != MAP_FAILED);
	start = (uint64_t)(uintptr_t)memory;
	madvise(memory, MANY * size, MADV_NOHUGEPAGE);
	for (int i = 0; i < 2; i++) {
		struct counted c = {0}, expected = {0};

		for (uint64_t page = 0; page < MANY; page++) {
			if (i ? page < 1000 || page >= 25000 : page % 3 || page >= 1000)
				continue;
			memory[page * size] = 1;
		}
		for (uint64_t page = 0; page < MANY; page++) {
			bool is_first = page % 3 == 0 && page < 1000;

			if (!is_first && (!i || page < 1000 || page >= 25000))
				continue;
			expected.pages++;
			expected.sum += start + page * size;
		}
		assert_int_equal(pagewalk(&w, start, start + MANY * size, false, count, &c), 0);
		assert_int_equal(c.pages, expected.pages);
		assert_int_equal(c.sum, expected.sum);
	}
	munmap(memory, MANY * size);
}

/* A page that was only read is the zero page, which no RSS counts. */
static void finds_the_zero_page_without_rights(void **state)
{
	AUTO_CLOSE int fd = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
	volatile char *memory = map_pages(MAP_PRIVATE);
	struct pagewalk w = {.fd = fd};
	struct seen s;

	(void)state;
	(void)memory[0];
	memory[pagewalk_page_size()] = 1;
	s = walk(&w, (char *)(uintptr_t)memory);
	munmap((char *)(uintptr_t)memory, PAGES * pagewalk_page_size());
	if (w.cannot_scan || !zeropage_is_used())
		skip();
	assert_int_equal(s.count, 2);
	assert_int_equal(s.page[0].state, PAGE_ZERO);
	assert_int_equal(s.page[1].state, PAGE_RESIDENT);
}

/* A scan of the largest possible address space is fast if it is nearly empty. */
static void skips_empty_ranges(void **state)
{
	AUTO_CLOSE int fd = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
	size_t size = (size_t)1 << 43;
	struct pagewalk w = {.fd = fd};
	struct seen s = {.count = 0};
	char *memory = mmap(NULL, size, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	struct pagemap_region region;
	uint64_t end, start = (uint64_t)(uintptr_t)memory;
	size_t count;

	(void)state;
	if (memory == MAP_FAILED)
		skip();
	if (pagemap_scan(fd, &present, start, start + pagewalk_page_size(), &region, 1, &count,
		    &end) == -ENOTTY) {
		munmap(memory, size);
		skip();
	}
	madvise(memory, size, MADV_NOHUGEPAGE);
	memory[size - 1] = 1;
	assert_int_equal(pagewalk(&w, start, start + size, false, take, &s), 0);
	assert_int_equal(s.count, 1);
	assert_true(s.page[0].address == start + size - pagewalk_page_size());
	munmap(memory, size);
}

static int refuse(const struct page *p, void *context)
{
	(void)p;
	++*(int *)context;
	return -ECANCELED;
}

static int add_up(struct pagemap_region *region, size_t count, void *context)
{
	uint64_t *pages = context;

	for (size_t i = 0; i < count; i++)
		*pages += (region[i].end - region[i].start) / pagewalk_page_size();
	return 0;
}

/* A scan blocks the process, so each one covers at most 1 GiB. */
static void scans_at_most_a_gib_at_once(void **state)
{
	const size_t gib = (size_t)1 << 30, size = 3 * gib + 3 * pagewalk_page_size();
	AUTO_CLOSE int fd = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
	volatile char *memory = mmap(NULL, size, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	uint64_t start = (uint64_t)(uintptr_t)memory, pages = 0;
	int r;

	(void)state;
	assert_true(memory != MAP_FAILED);
	madvise((void *)start, size, MADV_NOHUGEPAGE);
	memory[0] = memory[gib] = memory[size - 1] = 1;
	longest = scans = 0;
	r = pagemap_scan_all(fd, &present, start, start + size, add_up, &pages);
	if (r == -ENOTTY)
		skip();
	assert_int_equal(r, 0);
	assert_int_equal(pages, 3);
	assert_int_equal(longest, gib);
	assert_int_equal(scans, 4);
	munmap((void *)start, size);
}

static void taker_can_stop_the_walk(void **state)
{
	AUTO_CLOSE int fd = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
	char *memory = map_pages(MAP_PRIVATE);
	uint64_t start = (uint64_t)(uintptr_t)memory, end = start + PAGES * pagewalk_page_size();
	struct pagewalk w = {.fd = fd};
	int calls = 0;

	(void)state;
	memset(memory, 1, PAGES * pagewalk_page_size());
	assert_int_equal(pagewalk(&w, start, end, false, refuse, &calls), -ECANCELED);
	w.cannot_scan = true;
	assert_int_equal(pagewalk(&w, start, end, false, refuse, &calls), -ECANCELED);
	assert_int_equal(calls, 2);
	munmap(memory, PAGES * pagewalk_page_size());
}

/* Frame numbers need CAP_SYS_ADMIN, which uid 65534 lacks. */
static void frames_need_a_capability(void **state)
{
	AUTO_CLOSE int procfs = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	AUTO_CLOSE int other = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	pid_t child;
	int status;

	(void)state;
	assert_int_equal(pagemap_shows_frames(other), -ENOENT);
	child = fork();
	if (!child) {
		if (geteuid() == 0 &&
			(setresgid(65534, 65534, 65534) < 0 || setresuid(65534, 65534, 65534) < 0))
			_exit(99);
		/*
		 * After a change of uid a process may not read its own pagemap until it calls
		 * exec.
		 */
		status = pagemap_shows_frames(procfs);
		_exit(status == 0 || status == -EACCES ? 0 : 98);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(splits_entries),
		cmocka_unit_test(reads_entries_by_page),
		cmocka_unit_test(finds_own_pages),
		cmocka_unit_test(finds_all_pages_of_a_large_range),
		cmocka_unit_test(finds_the_zero_page_without_rights),
		cmocka_unit_test(skips_empty_ranges),
		cmocka_unit_test(scans_at_most_a_gib_at_once),
		cmocka_unit_test(taker_can_stop_the_walk),
		cmocka_unit_test(frames_need_a_capability),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
