/* SPDX-License-Identifier: Apache-2.0 */
/* Of the test itself and its children, where whoever runs it is shown frames. */
#include "config.h"

#include "tests/unit/unit.h"

#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "inside/muster.h"

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

/* A child that has touched some of BLOCK. */
static pid_t start(char *block)
{
	int ready[2];
	pid_t pid;
	char byte;

	assert_int_equal(pipe(ready), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		touch(block, CHILDS);
		(void)!write(ready[1], "", 1);
		for (;;)
			pause();
	}
	assert_int_equal(read(ready[0], &byte, 1), 1);
	close(ready[0]);
	close(ready[1]);
	return pid;
}

static void take(struct muster *m, pid_t pid, uint32_t group)
{
	AUTO_TARGET struct target t = {.process.dirfd = -1, .process.statm_fd = -1};

	assert_int_equal(target_open(&procfs, pid, &t), 0);
	assert_int_equal(muster_take(m, &t, group), 0);
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
	if (muster_open(&m, procfs.fd) != 0) {
		muster_done(&m);
		skip();
	}
	child = start(block);
	touch(block, PAGES);
	m.tick = count_tick;
	take(&m, getpid(), 0);
	take(&m, child, 1);
	assert_int_equal(muster_count(&m, 2), 0);
	assert_int_equal(m.stakes.group[0].unique[STAKE_SHMEM], (PAGES - CHILDS) * page);
	assert_int_equal(m.stakes.group[1].resident[STAKE_SHMEM], CHILDS * page);
	assert_int_equal(m.stakes.group[1].unique[STAKE_SHMEM], 0);
	assert_true(m.stakes.group[1].resident[STAKE_ANON] > m.stakes.group[1].unique[STAKE_ANON]);
	assert_true(ticks > 0 && m.mapped > PAGES && muster_bytes(&m) > 4096);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
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
	if (muster_open(&m, procfs.fd) != 0) {
		muster_done(&m);
		skip();
	}
	child = start(block);
	touch(block, PAGES);
	take(&m, getpid(), 0);
	assert_int_equal(muster_count(&m, 1), 0);
	assert_int_equal(m.stakes.group[0].unique[STAKE_SHMEM], (PAGES - CHILDS) * page);
	assert_int_equal(m.stakes.others.resident[STAKE_SHMEM], CHILDS * page);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	muster_done(&m);
	munmap(block, PAGES * page);
}

static void who_has_ended_is_told(void **state)
{
	AUTO_TARGET struct target t = {.process.dirfd = -1, .process.statm_fd = -1};
	char *block = map_shared();
	struct muster m;
	pid_t child;

	(void)state;
	if (muster_open(&m, procfs.fd) != 0) {
		muster_done(&m);
		skip();
	}
	child = start(block);
	assert_int_equal(target_open(&procfs, child, &t), 0);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
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
		cmocka_unit_test(who_has_ended_is_told),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
