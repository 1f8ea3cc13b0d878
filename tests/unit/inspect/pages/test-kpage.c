/* SPDX-License-Identifier: Apache-2.0 */
/* Tests with a directory that looks like /proc and, if permitted, with the kernel's own files. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "inspect/pages/kpage.h"
#include "inspect/pages/pagemap.h"
#include "inspect/pages/pagewalk.h"

enum { FRAMES = 1300 };

static int folder = -1;
static char path[] = "frames.XXXXXX";

/* Frame N is mapped N + 7 times, and its flags are N squared. */
static void write_files(void)
{
	AUTO_CLOSE int counts = openat(folder, "kpagecount", O_WRONLY | O_CREAT | O_TRUNC, 0600);
	AUTO_CLOSE int flags = openat(folder, "kpageflags", O_WRONLY | O_CREAT | O_TRUNC, 0600);

	for (uint64_t i = 0; i < FRAMES; i++) {
		const uint64_t count = i + 7, flag = i * i;

		assert_int_equal(write(counts, &count, sizeof(count)), sizeof(count));
		assert_int_equal(write(flags, &flag, sizeof(flag)), sizeof(flag));
	}
}

static void reads_up_to_the_last_frame(void **state)
{
	AUTO_KPAGE struct kpage f = {.counts = -1, .flags = -1};
	uint64_t value[4];
	size_t count;

	(void)state;
	write_files();
	assert_int_equal(kpage_open(folder, &f), 0);
	assert_int_equal(kpage_read(f.counts, 3, value, 4, &count), 0);
	assert_int_equal(count, 4);
	assert_int_equal(value[3], 6 + 7);
	assert_int_equal(kpage_read(f.flags, FRAMES - 1, value, 4, &count), 0);
	assert_int_equal(count, 1);
	assert_int_equal(value[0], (FRAMES - 1) * (FRAMES - 1));
	assert_int_equal(kpage_read(f.flags, UINT64_MAX / 8, value, 4, &count), 0);
	assert_int_equal(count, 0);
	assert_int_equal(kpage_read(f.flags, UINT64_MAX, value, 4, &count), 0);
	assert_int_equal(count, 0);
	assert_int_equal(kpage_read(-1, 0, value, 4, &count), -EBADF);
}

/* Many frames at once, in any order; some are asked for twice, some do not exist. */
static void many_are_asked_for_at_once(void **state)
{
	AUTO_KPAGE struct kpage f = {.counts = -1, .flags = -1};
	struct kpage_query query[300];
	uint64_t random = 5;

	(void)state;
	write_files();
	assert_int_equal(kpage_open(folder, &f), 0);
	for (unsigned int round = 0; round < unit_rounds(200); round++) {
		size_t count = unit_random(&random) % 300;
		uint64_t within = 1 + unit_random(&random) % (2 * FRAMES);
		uint64_t asked[300];

		for (size_t i = 0; i < count; i++) {
			asked[i] = unit_random(&random) % within;
			query[i] = (struct kpage_query){.frame = asked[i], .number = i};
		}
		assert_int_equal(kpage_ask(&f, query, count), 0);
		for (size_t i = 0; i < count; i++) {
			assert_int_equal(query[i].frame, asked[query[i].number]);
			assert_int_equal(query[i].is_none, query[i].frame >= FRAMES);
			if (query[i].is_none)
				continue;
			assert_int_equal(query[i].mappings, query[i].frame + 7);
			assert_int_equal(query[i].flags, query[i].frame * query[i].frame);
		}
	}
}

static void missing_files_and_rights_are_reported(void **state)
{
	unsigned int before = unit_descriptors();
	struct kpage f;
	pid_t child;
	int status;

	(void)state;
	write_files();
	assert_int_equal(unlinkat(folder, "kpageflags", 0), 0);
	assert_int_equal(kpage_open(folder, &f), -ENOENT);
	assert_int_equal(unlinkat(folder, "kpagecount", 0), 0);
	assert_int_equal(kpage_open(folder, &f), -ENOENT);
	assert_int_equal(unit_descriptors(), before);
	child = fork();
	if (!child) {
		AUTO_CLOSE int procfs = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		int r;

		if (geteuid() == 0 && setresuid(65534, 65534, 65534) < 0)
			_exit(99);
		r = kpage_open(procfs, &f);
		_exit(r == -EACCES || r == -EPERM || r == -ENOENT ? 0 : 98);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
}

struct counted {
	uint64_t pages, mapped, anon;
};

static int count(const struct page *p, void *context)
{
	struct counted *c = context;

	assert_true(p->knows_frame);
	c->pages++;
	c->mapped += p->mappings;
	c->anon += !!(p->flags & KPAGE_ANON);
	return 0;
}

/*
 * As root: pages written before a fork are mapped by both processes. The page that the child writes
 * to is mapped once by each.
 */
static void works_on_this_kernel(void **state)
{
	AUTO_KPAGE struct kpage f = {.counts = -1, .flags = -1};
	AUTO_CLOSE int procfs = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	AUTO_CLOSE int pagemap = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
	struct pagewalk w = {.fd = pagemap, .frames = &f};
	uint64_t size = pagewalk_page_size(), start;
	struct counted c = {0};
	int pipes[2], status;
	char *memory, byte;
	pid_t child;

	(void)state;
	if (pagemap_shows_frames(procfs) != 1 || kpage_open(procfs, &f) < 0)
		skip();
	memory = mmap(NULL, 8 * size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_true(memory != MAP_FAILED);
	start = (uint64_t)(uintptr_t)memory;
	madvise(memory, 8 * size, MADV_NOHUGEPAGE);
	memset(memory, 1, 8 * size);
	assert_int_equal(pipe2(pipes, O_CLOEXEC), 0);
	child = fork();
	if (!child) {
		memory[3 * size] = 2;
		_exit(write(pipes[1], "", 1) == 1 ? pause() : 99);
	}
	assert_int_equal(read(pipes[0], &byte, 1), 1);
	assert_int_equal(pagewalk(&w, start, start + 8 * size, false, count, &c), 0);
	assert_int_equal(kill(child, SIGKILL), 0);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(c.pages, 8);
	assert_int_equal(c.anon, 8);
	assert_int_equal(c.mapped, 7 * 2 + 1);
	close(pipes[0]);
	close(pipes[1]);
	munmap(memory, 8 * size);
}

static int make_folder(void **state)
{
	(void)state;
	folder = mkdtemp(path) ? open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
	return folder < 0;
}

static int remove_folder(void **state)
{
	(void)state;
	unlinkat(folder, "kpagecount", 0);
	unlinkat(folder, "kpageflags", 0);
	close(folder);
	return rmdir(path);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_up_to_the_last_frame),
		cmocka_unit_test(many_are_asked_for_at_once),
		cmocka_unit_test(missing_files_and_rights_are_reported),
		cmocka_unit_test(works_on_this_kernel),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
