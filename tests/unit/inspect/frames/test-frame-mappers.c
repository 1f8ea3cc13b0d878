/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests of inspect/frames/frame-mappers.h, the frame mappers, with this process and its children.
 * Skipped if the kernel does not show frame numbers.
 */
#include "config.h"

#include "tests/unit/support/unit.h"
#include "tests/unit/support/inspect/zeropage.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "inspect/frames/frame-mappers.h"
#include "inspect/pages/pagemap.h"
#include "tests/unit/support/process/waiter.h"

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

/* Starts a child that has touched CHILDS pages of BLOCK. */
static pid_t start(char *block)
{
	return waiter_start(touch_some, block);
}

static void take(struct frame_mappers *m, pid_t pid, uint32_t group)
{
	AUTO_TARGET struct target t = {.process.dirfd = -1, .process.file_fd = -1};

	assert_int_equal(target_open(&procfs, pid, &t), 0);
	assert_int_equal(frame_mappers_take(m, &t, group), 0);
}

/* Skips the test if frame numbers are not shown. */
static void open_or_skip(struct frame_mappers *m)
{
	const char *what;

	if (frame_mappers_open(m, procfs.fd, &what) == 0)
		return;
	frame_mappers_done(m);
	skip();
}

static char *map_shared(void)
{
	char *block = mmap(NULL, PAGES * (size_t)sysconf(_SC_PAGESIZE), PROT_READ | PROT_WRITE,
		MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	assert_true(block != MAP_FAILED);
	return block;
}

static void finds_the_mappers_of_each_page(void **state)
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	char *block = map_shared();
	struct frame_mappers m;
	pid_t child;

	(void)state;
	open_or_skip(&m);
	child = start(block);
	touch(block, PAGES);
	m.tick = count_tick;
	take(&m, getpid(), 0);
	take(&m, child, 1);
	assert_true(ticks > 0);
	/*
	 * frame_mappers_seek() was not called, so it is unknown what keeps the shared memory: it
	 * counts as kept.
	 */
	assert_int_equal(frame_mappers_count(&m, 2), 0);
	assert_int_equal(m.owners.group[0].unique[FRAME_OWNER_SHMEM], 0);
	assert_int_equal(m.owners.group[0].unique[FRAME_OWNER_SHMEM_KEPT], (PAGES - CHILDS) * page);
	assert_int_equal(m.owners.group[1].resident[FRAME_OWNER_SHMEM_KEPT], CHILDS * page);
	assert_int_equal(m.owners.group[1].unique[FRAME_OWNER_SHMEM], 0);
	assert_true(m.owners.group[1].resident[FRAME_OWNER_ANON] >
		    m.owners.group[1].unique[FRAME_OWNER_ANON]);
	assert_true(ticks > 0 && m.mapped > PAGES && frame_mappers_bytes(&m) > 4096);
	waiter_end(child);
	frame_mappers_done(&m);
	munmap(block, PAGES * page);
}

/* The kernel's map counts include processes that were not read. */
static void counts_mappers_that_were_not_read(void **state)
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	char *block = map_shared();
	struct frame_mappers m;
	pid_t child;

	(void)state;
	open_or_skip(&m);
	child = start(block);
	touch(block, PAGES);
	take(&m, getpid(), 0);
	assert_int_equal(frame_mappers_seek(&m), 0);
	assert_int_equal(frame_mappers_count(&m, 1), 0);
	assert_int_equal(m.owners.group[0].unique[FRAME_OWNER_SHMEM], (PAGES - CHILDS) * page);
	assert_int_equal(m.owners.others.resident[FRAME_OWNER_SHMEM], CHILDS * page);
	waiter_end(child);
	frame_mappers_done(&m);
	munmap(block, PAGES * page);
}

/* A child touches all pages of BLOCK and exits. */
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

/*
 * Returns the bytes of unmapped shared memory that only group 0, this process, keeps. OTHER: a
 * process of group 1, or 0.
 */
static uint64_t unmapped_with(pid_t other)
{
	uint64_t bytes;
	struct frame_mappers m;

	open_or_skip(&m);
	if (other)
		take(&m, other, 1);
	take(&m, getpid(), 0);
	assert_int_equal(frame_mappers_seek(&m), 0);
	assert_int_equal(frame_mappers_count(&m, 2), 0);
	bytes = m.owners.group[0].unmapped;
	assert_int_equal(m.owners.group[1].unmapped, 0);
	assert_int_equal(m.owners.all.unmapped, bytes);
	frame_mappers_done(&m);
	return bytes;
}

/* A child touched the pages and has exited. */
static void unmapped_memory_belongs_to_its_mapper(void **state)
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	char *block = map_shared();
	uint64_t before = unmapped_with(0);

	(void)state;
	fill(block);
	assert_int_equal(unmapped_with(0) - before, PAGES * page);
	/* Pages in page tables are not unmapped. */
	touch(block, 10);
	assert_int_equal(unmapped_with(0) - before, (PAGES - 10) * page);
	munmap(block, PAGES * page);
}

static void unmapped_memory_with_two_mappers_stays(void **state)
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

/* Each page is mapped once, but another process maps the object too and could touch it. */
static void memory_that_others_map_is_kept(void **state)
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	char *block = map_shared();
	pid_t child;
	struct frame_mappers m;

	(void)state;
	open_or_skip(&m);
	child = start(block);
	touch(block, PAGES);
	take(&m, getpid(), 0);
	assert_int_equal(frame_mappers_seek(&m), 0);
	assert_true(frame_mappers_is_seeking(&m));
	take(&m, child, 1);
	assert_int_equal(frame_mappers_count(&m, 2), 0);
	assert_int_equal(m.owners.group[0].unique[FRAME_OWNER_SHMEM], 0);
	assert_int_equal(m.owners.group[0].unique[FRAME_OWNER_SHMEM_KEPT], (PAGES - CHILDS) * page);
	waiter_end(child);
	frame_mappers_done(&m);
	/* Without that process the memory is this group's own. */
	open_or_skip(&m);
	take(&m, getpid(), 0);
	assert_int_equal(frame_mappers_seek(&m), 0);
	assert_int_equal(frame_mappers_count(&m, 1), 0);
	assert_int_equal(m.owners.group[0].unique[FRAME_OWNER_SHMEM], PAGES * page);
	assert_int_equal(m.owners.group[0].unique[FRAME_OWNER_SHMEM_KEPT], 0);
	frame_mappers_done(&m);
	munmap(block, PAGES * page);
}

/*
 * Processes read after frame_mappers_seek() count only where they keep memory of the earlier ones.
 */
static void other_processes_count_as_keepers_only(void **state)
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	char *block = map_shared();
	struct frame_mappers m;
	pid_t child;

	(void)state;
	open_or_skip(&m);
	child = start(block);
	fill(block);
	take(&m, getpid(), 0);
	assert_int_equal(frame_mappers_seek(&m), 0);
	assert_true(frame_mappers_is_seeking(&m));
	take(&m, child, 1);
	assert_int_equal(frame_mappers_count(&m, 2), 0);
	assert_int_equal(m.owners.group[0].unmapped, 0);
	assert_int_equal(frame_owner_resident(&m.owners.group[1]), 0);
	assert_true(m.unmapped.kept_bytes >= PAGES * page);
	waiter_end(child);
	frame_mappers_done(&m);
	munmap(block, PAGES * page);
}

/* There was no room for the file. */
static void memory_of_unknown_files_is_kept(void **state)
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	char *block = map_shared();
	struct frame_mappers m;

	(void)state;
	open_or_skip(&m);
	touch(block, PAGES);
	m.unmapped.files.is_closed = true;
	take(&m, getpid(), 0);
	assert_int_equal(frame_mappers_seek(&m), 0);
	assert_int_equal(frame_mappers_count(&m, 1), 0);
	assert_int_equal(m.owners.group[0].unique[FRAME_OWNER_SHMEM], 0);
	assert_int_equal(m.owners.group[0].unique[FRAME_OWNER_SHMEM_KEPT], PAGES * page);
	frame_mappers_done(&m);
	munmap(block, PAGES * page);
}

/* Passes pagemap entries of a process of GROUP, without walking one. */
static void feed(struct frame_mappers *m, uint32_t group, const uint64_t *entry, size_t count)
{
	m->group = group;
	assert_int_equal(m->walk.take(0, entry, count, m), 0);
}

static void ignores_the_zero_page(void **state)
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), entry[PAGES];
	AUTO_CLOSE int pagemap = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
	volatile char *block = mmap(
		NULL, PAGES * page, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct frame_mappers m;
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
	assert_int_equal(frame_mappers_count(&m, 1), 0);
	for (unsigned int i = 0; i < FRAME_OWNER_KINDS; i++)
		assert_int_equal(m.owners.all.resident[i], 0);
	assert_int_equal(m.owners.gone, 0);
	frame_mappers_done(&m);
	munmap((void *)(uintptr_t)block, PAGES * page);
}

/* A swap entry as pagemap has it, with the swap area in the lowest five bits. */
static uint64_t place(uint64_t area, uint64_t offset)
{
	return PAGEMAP_SWAPPED | offset << 5 | area;
}

/* After frame_mappers_seek() only swap entries that were seen before count. */
static void distinguishes_swap_entries(void **state)
{
	const uint64_t first[] = {
		place(1, 7), place(2, 7), place(1, 8), place(FRAME_MAPPERS_SWAP_AREAS, 7)};
	const uint64_t second[] = {place(2, 7), place(1, 9), PAGEMAP_PRESENT | 77};
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	struct frame_mappers m;

	(void)state;
	open_or_skip(&m);
	assert_false(m.has_swap);
	feed(&m, 0, first, ARRAY_SIZE(first));
	assert_true(m.has_swap);
	assert_true(*frame_map_find(&m.swap[2], 7) && *frame_map_find(&m.swap[1], 8));
	assert_int_equal(frame_mappers_seek(&m), 0);
	feed(&m, 1, second, ARRAY_SIZE(second));
	assert_int_equal(m.mapped, 0);
	assert_int_equal(frame_mappers_count(&m, 2), 0);
	assert_int_equal(m.owners.group[0].resident[FRAME_OWNER_SWAP], 3 * page);
	assert_int_equal(m.owners.group[0].unique[FRAME_OWNER_SWAP], 2 * page);
	assert_int_equal(m.owners.group[1].resident[FRAME_OWNER_SWAP], page);
	assert_int_equal(m.owners.group[1].unique[FRAME_OWNER_SWAP], 0);
	frame_mappers_done(&m);
}

/* The process to kill and the tick at which to kill it; 0: at none. */
struct ending {
	pid_t pid;
	unsigned int ticks, at;
};

/* The files of a killed process then end without an error. */
static void end_at(void *context)
{
	struct ending *e = context;

	if (++e->ticks != e->at)
		return;
	kill(e->pid, SIGKILL);
	assert_int_equal(waitid(P_PID, (id_t)e->pid, &(siginfo_t){0}, WEXITED | WNOWAIT), 0);
}

/* The process exits after all of it was read, which no read reports. */
static void reports_a_process_that_exits_while_it_is_read(void **state)
{
	AUTO_TARGET struct target t = {.process.dirfd = -1, .process.file_fd = -1};
	char *block = map_shared();
	struct ending ending = {.at = 0};
	struct frame_mappers m;

	(void)state;
	open_or_skip(&m);
	ending.pid = start(block);
	assert_int_equal(target_open(&procfs, ending.pid, &t), 0);
	m.tick = end_at;
	m.context = &ending;
	assert_int_equal(frame_mappers_take(&m, &t, 0), 0);
	ending.at = ending.ticks;
	ending.ticks = 0;
	assert_int_equal(frame_mappers_take(&m, &t, 0), TARGET_ENDED);
	assert_int_equal(ending.ticks, ending.at);
	waiter_end(ending.pid);
	frame_mappers_done(&m);
	munmap(block, PAGES * (size_t)sysconf(_SC_PAGESIZE));
}

/* The process to kill just before its pages are read, and the error of that read; 0: none. */
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

/*
 * Returns the result of frame_mappers_take() for a child that exits before it is read if ENDS.
 * ERROR replaces the result of the read unless it is 0.
 */
static int take_at_its_end(bool ends, int error)
{
	AUTO_TARGET struct target t = {.process.dirfd = -1, .process.file_fd = -1};
	struct frame_mappers m;
	pid_t child;
	int r;

	open_or_skip(&m);
	child = waiter_start(NULL, NULL);
	assert_int_equal(target_open(&procfs, child, &t), 0);
	reading.ends = ends ? child : 0;
	reading.error = error;
	r = frame_mappers_take(&m, &t, 0);
	reading.error = 0;
	if (!ends)
		waiter_end(child);
	frame_mappers_done(&m);
	return r;
}

/*
 * Its files are open, but reading fails with ESRCH: the process exited, or the thread that it is
 * read through did.
 */
static void reports_a_process_that_exited_before_it_is_read(void **state)
{
	(void)state;
	assert_int_equal(take_at_its_end(true, 0), TARGET_GONE);
	assert_int_equal(take_at_its_end(true, -ESRCH), TARGET_GONE);
	assert_int_equal(take_at_its_end(false, -ESRCH), TARGET_CHANGED);
}

/* If the process has exited, malformed text is the result of that and no error. */
static void ignores_errors_caused_by_an_exit(void **state)
{
	(void)state;
	assert_int_equal(take_at_its_end(true, -EBADMSG), TARGET_GONE);
	assert_int_equal(take_at_its_end(false, -EBADMSG), -EBADMSG);
	/* Errors of this process, such as lack of memory, are returned in any case. */
	assert_int_equal(take_at_its_end(true, -ERANGE), -ERANGE);
	assert_int_equal(take_at_its_end(true, -ENOMEM), -ENOMEM);
}

static void reports_an_exited_process(void **state)
{
	AUTO_TARGET struct target t = {.process.dirfd = -1, .process.file_fd = -1};
	char *block = map_shared();
	struct frame_mappers m;
	pid_t child;

	(void)state;
	open_or_skip(&m);
	child = start(block);
	assert_int_equal(target_open(&procfs, child, &t), 0);
	waiter_end(child);
	assert_int_equal(frame_mappers_take(&m, &t, 0), TARGET_GONE);
	assert_int_equal(frame_mappers_count(&m, 1), 0);
	assert_int_equal(frame_owner_resident(&m.owners.all), 0);
	frame_mappers_done(&m);
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
		cmocka_unit_test(finds_the_mappers_of_each_page),
		cmocka_unit_test(counts_mappers_that_were_not_read),
		cmocka_unit_test(unmapped_memory_belongs_to_its_mapper),
		cmocka_unit_test(unmapped_memory_with_two_mappers_stays),
		cmocka_unit_test(memory_that_others_map_is_kept),
		cmocka_unit_test(other_processes_count_as_keepers_only),
		cmocka_unit_test(memory_of_unknown_files_is_kept),
		cmocka_unit_test(ignores_the_zero_page),
		cmocka_unit_test(distinguishes_swap_entries),
		cmocka_unit_test(reports_a_process_that_exits_while_it_is_read),
		cmocka_unit_test(reports_a_process_that_exited_before_it_is_read),
		cmocka_unit_test(ignores_errors_caused_by_an_exit),
		cmocka_unit_test(reports_an_exited_process),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
