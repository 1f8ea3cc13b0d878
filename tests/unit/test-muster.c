/* SPDX-License-Identifier: Apache-2.0 */
/* Of the test itself and its children, where whoever runs it is shown frames. */
#include "config.h"

#include "tests/unit/unit.h"
#include "tests/unit/zeropage.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "inside/muster.h"
#include "inside/pagemap.h"
#include "tests/unit/waiter.h"

enum { PAGES = 100, CHILDS = 40 };

static struct procfs procfs;
static unsigned int ticks;

static void count_tick(void *context)
{
	(void)context;
	ticks++;
}

static void touch(volatile char *block, size_t count)
{
	for (size_t i = 0; i < count; i++)
		block[i * (size_t)sysconf(_SC_PAGESIZE)] = 1;
}

static void touch_some(void *block)
{
	touch(block, CHILDS);
}

/* A child that has touched some of BLOCK. */
static pid_t start(char *block)
{
	return waiter_start(touch_some, block);
}

static void take(struct muster *m, pid_t pid, uint32_t group)
{
	AUTO_TARGET struct target t = {.process.dirfd = -1, .process.file_fd = -1};

	assert_int_equal(target_open(&procfs, pid, &t), 0);
	assert_int_equal(muster_take(m, &t, group), 0);
}

/* Where frames are not shown there is nothing to be tested. */
static void open_or_skip(struct muster *m)
{
	const char *what;

	if (muster_open(m, procfs.fd, &what) == 0)
		return;
	muster_done(m);
	skip();
}

static char *map_shared(void)
{
	char *block = mmap(NULL, PAGES * (size_t)sysconf(_SC_PAGESIZE), PROT_READ | PROT_WRITE,
		MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	assert_true(block != MAP_FAILED);
	return block;
}

static void who_maps_what_is_found(void **state)
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	char *block = map_shared();
	struct muster m;
	pid_t child;

	(void)state;
	open_or_skip(&m);
	child = start(block);
	touch(block, PAGES);
	m.tick = count_tick;
	take(&m, getpid(), 0);
	take(&m, child, 1);
	assert_true(ticks > 0);
	/* Of shared memory it was not asked what keeps it: in doubt it stays. */
	assert_int_equal(muster_count(&m, 2), 0);
	assert_int_equal(m.stakes.group[0].unique[STAKE_SHMEM], 0);
	assert_int_equal(m.stakes.group[0].unique[STAKE_SHMEM_KEPT], (PAGES - CHILDS) * page);
	assert_int_equal(m.stakes.group[1].resident[STAKE_SHMEM_KEPT], CHILDS * page);
	assert_int_equal(m.stakes.group[1].unique[STAKE_SHMEM], 0);
	assert_true(m.stakes.group[1].resident[STAKE_ANON] > m.stakes.group[1].unique[STAKE_ANON]);
	assert_true(ticks > 0 && m.mapped > PAGES && muster_bytes(&m) > 4096);
	waiter_end(child);
	muster_done(&m);
	munmap(block, PAGES * page);
}

/* Whoever was not taken has its mappings counted by the kernel all the same. */
static void who_was_not_taken_is_not_forgotten(void **state)
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	char *block = map_shared();
	struct muster m;
	pid_t child;

	(void)state;
	open_or_skip(&m);
	child = start(block);
	touch(block, PAGES);
	take(&m, getpid(), 0);
	assert_int_equal(muster_seek(&m), 0);
	assert_int_equal(muster_count(&m, 1), 0);
	assert_int_equal(m.stakes.group[0].unique[STAKE_SHMEM], (PAGES - CHILDS) * page);
	assert_int_equal(m.stakes.others.resident[STAKE_SHMEM], CHILDS * page);
	waiter_end(child);
	muster_done(&m);
	munmap(block, PAGES * page);
}

/* All of BLOCK's pages are touched by one that ends. */
static void fill(char *block)
{
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (!pid) {
		touch(block, PAGES);
		_exit(0);
	}
	assert_int_equal(waitpid(pid, NULL, 0), pid);
}

/* What of this process's, of group 0, is in nobody's page tables, and goes with it; where OTHER is not 0 that is group 1. */
static uint64_t unmapped_with(pid_t other)
{
	uint64_t bytes;
	struct muster m;

	open_or_skip(&m);
	if (other)
		take(&m, other, 1);
	take(&m, getpid(), 0);
	assert_int_equal(muster_seek(&m), 0);
	assert_int_equal(muster_count(&m, 2), 0);
	bytes = m.stakes.group[0].unmapped;
	assert_int_equal(m.stakes.group[1].unmapped, 0);
	assert_int_equal(m.stakes.all.unmapped, bytes);
	muster_done(&m);
	return bytes;
}

/* A child has touched it, and has ended since. */
static void what_the_dead_have_touched_is_whose_it_is(void **state)
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	char *block = map_shared();
	uint64_t before = unmapped_with(0);

	(void)state;
	fill(block);
	assert_int_equal(unmapped_with(0) - before, PAGES * page);
	/* What is in page tables is told there. */
	touch(block, 10);
	assert_int_equal(unmapped_with(0) - before, (PAGES - 10) * page);
	munmap(block, PAGES * page);
}

static void what_others_map_too_does_not_go_with_anybody(void **state)
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), before = unmapped_with(0);
	char *block = map_shared();
	pid_t child = start(block);

	(void)state;
	fill(block);
	assert_int_equal(unmapped_with(child), before);
	waiter_end(child);
	assert_int_equal(unmapped_with(0) - before, PAGES * page);
	munmap(block, PAGES * page);
}

/* Each page is the only mapping's, and there are others who could have it. */
static void what_others_could_touch_is_kept(void **state)
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	char *block = map_shared();
	pid_t child;
	struct muster m;

	(void)state;
	open_or_skip(&m);
	child = start(block);
	touch(block, PAGES);
	take(&m, getpid(), 0);
	assert_int_equal(muster_seek(&m), 0);
	assert_true(muster_is_seeking(&m));
	take(&m, child, 1);
	assert_int_equal(muster_count(&m, 2), 0);
	assert_int_equal(m.stakes.group[0].unique[STAKE_SHMEM], 0);
	assert_int_equal(m.stakes.group[0].unique[STAKE_SHMEM_KEPT], (PAGES - CHILDS) * page);
	waiter_end(child);
	muster_done(&m);
	/* Without the other it is its own. */
	open_or_skip(&m);
	take(&m, getpid(), 0);
	assert_int_equal(muster_seek(&m), 0);
	assert_int_equal(muster_count(&m, 1), 0);
	assert_int_equal(m.stakes.group[0].unique[STAKE_SHMEM], PAGES * page);
	assert_int_equal(m.stakes.group[0].unique[STAKE_SHMEM_KEPT], 0);
	muster_done(&m);
	munmap(block, PAGES * page);
}

/* Who is asked after the others only for what these have. */
static void others_are_asked_for_what_some_have(void **state)
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	char *block = map_shared();
	struct muster m;
	pid_t child;

	(void)state;
	open_or_skip(&m);
	child = start(block);
	fill(block);
	take(&m, getpid(), 0);
	assert_int_equal(muster_seek(&m), 0);
	assert_true(muster_is_seeking(&m));
	take(&m, child, 1);
	assert_int_equal(muster_count(&m, 2), 0);
	assert_int_equal(m.stakes.group[0].unmapped, 0);
	assert_int_equal(stake_resident(&m.stakes.group[1]), 0);
	assert_true(m.remnants.kept_bytes >= PAGES * page);
	waiter_end(child);
	muster_done(&m);
	munmap(block, PAGES * page);
}

/* Whose file there was no room for. */
static void what_is_of_no_known_file_is_kept(void **state)
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	char *block = map_shared();
	struct muster m;

	(void)state;
	open_or_skip(&m);
	touch(block, PAGES);
	m.remnants.files.is_closed = true;
	take(&m, getpid(), 0);
	assert_int_equal(muster_seek(&m), 0);
	assert_int_equal(muster_count(&m, 1), 0);
	assert_int_equal(m.stakes.group[0].unique[STAKE_SHMEM], 0);
	assert_int_equal(m.stakes.group[0].unique[STAKE_SHMEM_KEPT], PAGES * page);
	muster_done(&m);
	munmap(block, PAGES * page);
}

/* What a process of GROUP has: not by a walk. */
static void feed(struct muster *m, uint32_t group, const uint64_t *entry, size_t count)
{
	m->group = group;
	assert_int_equal(m->walk.take(0, entry, count, m), 0);
}

static void the_page_of_zeros_is_nobodys(void **state)
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), entry[PAGES];
	AUTO_CLOSE int pagemap = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
	volatile char *block = mmap(
		NULL, PAGES * page, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct muster m;
	size_t count;

	(void)state;
	assert_true(block != MAP_FAILED);
	if (!zeropage_is_used())
		skip();
	open_or_skip(&m);
	(void)madvise((void *)(uintptr_t)block, PAGES * page, MADV_NOHUGEPAGE);
	for (size_t i = 0; i < PAGES; i++)
		(void)block[i * page];
	assert_int_equal(
		pagemap_read(pagemap, (uint64_t)(uintptr_t)block, entry, PAGES, &count), 0);
	assert_int_equal(count, PAGES);
	feed(&m, 0, entry, PAGES);
	assert_int_equal(m.mapped, PAGES);
	assert_int_equal(muster_count(&m, 1), 0);
	for (unsigned int i = 0; i < STAKE_KINDS; i++)
		assert_int_equal(m.stakes.all.resident[i], 0);
	assert_int_equal(m.stakes.gone, 0);
	muster_done(&m);
	munmap((void *)(uintptr_t)block, PAGES * page);
}

/* A place in swap as pagemap has it: its area in the lowest five bits. */
static uint64_t place(uint64_t area, uint64_t offset)
{
	return PAGEMAP_SWAPPED | offset << 5 | area;
}

/* Of whom only swap is asked nothing counts but what was met before. */
static void places_in_swap_are_told_apart(void **state)
{
	const uint64_t first[] = {
		place(1, 7), place(2, 7), place(1, 8), place(MUSTER_SWAP_AREAS, 7)};
	const uint64_t second[] = {place(2, 7), place(1, 9), PAGEMAP_PRESENT | 77};
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	struct muster m;

	(void)state;
	open_or_skip(&m);
	assert_false(m.has_swap);
	feed(&m, 0, first, ARRAY_SIZE(first));
	assert_true(m.has_swap);
	assert_true(*sparse_find(&m.swap[2], 7) && *sparse_find(&m.swap[1], 8));
	assert_int_equal(muster_seek(&m), 0);
	feed(&m, 1, second, ARRAY_SIZE(second));
	assert_int_equal(m.mapped, 0);
	assert_int_equal(muster_count(&m, 2), 0);
	assert_int_equal(m.stakes.group[0].resident[STAKE_SWAP], 3 * page);
	assert_int_equal(m.stakes.group[0].unique[STAKE_SWAP], 2 * page);
	assert_int_equal(m.stakes.group[1].resident[STAKE_SWAP], page);
	assert_int_equal(m.stakes.group[1].unique[STAKE_SWAP], 0);
	muster_done(&m);
}

/* Who ends at which tick; 0: at none. */
struct ending {
	pid_t pid;
	unsigned int ticks, at;
};

/* From then on the kernel ends its files without a word. */
static void end_at(void *context)
{
	struct ending *e = context;

	if (++e->ticks != e->at)
		return;
	kill(e->pid, SIGKILL);
	assert_int_equal(waitid(P_PID, (id_t)e->pid, &(siginfo_t){0}, WEXITED | WNOWAIT), 0);
}

/* When all of it has been read, but nobody can know that. */
static void who_ends_meanwhile_is_told(void **state)
{
	AUTO_TARGET struct target t = {.process.dirfd = -1, .process.file_fd = -1};
	char *block = map_shared();
	struct ending ending = {.at = 0};
	struct muster m;

	(void)state;
	open_or_skip(&m);
	ending.pid = start(block);
	assert_int_equal(target_open(&procfs, ending.pid, &t), 0);
	m.tick = end_at;
	m.context = &ending;
	assert_int_equal(muster_take(&m, &t, 0), 0);
	ending.at = ending.ticks;
	ending.ticks = 0;
	assert_int_equal(muster_take(&m, &t, 0), TARGET_ENDED);
	assert_int_equal(ending.ticks, ending.at);
	waiter_end(ending.pid);
	muster_done(&m);
	munmap(block, PAGES * (size_t)sysconf(_SC_PAGESIZE));
}

/* Whose pages are about to be read, when it ends, and its pid is gone; and with which error that fails; 0: nobody, and none. */
static struct {
	pid_t ends;
	int error;
} reading;

int __real_pagesweep_read(struct pagesweep *w, int maps_fd, int pagemap_fd);
int __wrap_pagesweep_read(struct pagesweep *w, int maps_fd, int pagemap_fd);

int __wrap_pagesweep_read(struct pagesweep *w, int maps_fd, int pagemap_fd)
{
	if (reading.ends)
		waiter_end(reading.ends);
	reading.ends = 0;
	return reading.error ? reading.error : __real_pagesweep_read(w, maps_fd, pagemap_fd);
}

/* What taking a child comes to that ENDS, when it is read, or not; reading it fails with ERROR; 0: as the kernel has it. */
static int take_at_its_end(bool ends, int error)
{
	AUTO_TARGET struct target t = {.process.dirfd = -1, .process.file_fd = -1};
	struct muster m;
	pid_t child;
	int r;

	open_or_skip(&m);
	child = waiter_start(NULL, NULL);
	assert_int_equal(target_open(&procfs, child, &t), 0);
	reading.ends = ends ? child : 0;
	reading.error = error;
	r = muster_take(&m, &t, 0);
	reading.error = 0;
	if (!ends)
		waiter_end(child);
	muster_done(&m);
	return r;
}

/* Its files are open, and reading them fails: of itself, or of the thread by which it is read. */
static void who_is_gone_meanwhile_is_told(void **state)
{
	(void)state;
	assert_int_equal(take_at_its_end(true, 0), TARGET_GONE);
	assert_int_equal(take_at_its_end(true, -ESRCH), TARGET_GONE);
	assert_int_equal(take_at_its_end(false, -ESRCH), TARGET_CHANGED);
}

/* Of whom half is read by then what that looks like is nobody's fault. */
static void an_error_is_one_of_the_living(void **state)
{
	(void)state;
	assert_int_equal(take_at_its_end(true, -EBADMSG), TARGET_GONE);
	assert_int_equal(take_at_its_end(false, -EBADMSG), -EBADMSG);
	/* And of us there may be too little whoever ends. */
	assert_int_equal(take_at_its_end(true, -ERANGE), -ERANGE);
	assert_int_equal(take_at_its_end(true, -ENOMEM), -ENOMEM);
}

static void who_has_ended_is_told(void **state)
{
	AUTO_TARGET struct target t = {.process.dirfd = -1, .process.file_fd = -1};
	char *block = map_shared();
	struct muster m;
	pid_t child;

	(void)state;
	open_or_skip(&m);
	child = start(block);
	assert_int_equal(target_open(&procfs, child, &t), 0);
	waiter_end(child);
	assert_int_equal(muster_take(&m, &t, 0), TARGET_GONE);
	assert_int_equal(muster_count(&m, 1), 0);
	assert_int_equal(stake_resident(&m.stakes.all), 0);
	muster_done(&m);
	munmap(block, PAGES * (size_t)sysconf(_SC_PAGESIZE));
}

static int set_up(void **state)
{
	(void)state;
	return procfs_open("/proc", &procfs);
}

static int tear_down(void **state)
{
	(void)state;
	procfs_close(&procfs);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(who_maps_what_is_found),
		cmocka_unit_test(who_was_not_taken_is_not_forgotten),
		cmocka_unit_test(what_the_dead_have_touched_is_whose_it_is),
		cmocka_unit_test(what_others_map_too_does_not_go_with_anybody),
		cmocka_unit_test(what_others_could_touch_is_kept),
		cmocka_unit_test(others_are_asked_for_what_some_have),
		cmocka_unit_test(what_is_of_no_known_file_is_kept),
		cmocka_unit_test(the_page_of_zeros_is_nobodys),
		cmocka_unit_test(places_in_swap_are_told_apart),
		cmocka_unit_test(who_ends_meanwhile_is_told),
		cmocka_unit_test(who_is_gone_meanwhile_is_told),
		cmocka_unit_test(an_error_is_one_of_the_living),
		cmocka_unit_test(who_has_ended_is_told),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
