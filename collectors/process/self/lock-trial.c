/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The grandchild counts and times its calls, in memory that it shares with the child. It subtracts
 * the time for which it waited for a CPU (/proc/self/schedstat).
 *
 * If no call has waited, that proves nothing if the grandchild did not run during the walk: on one
 * CPU, or on a busy host. Completed calls prove nothing if the child had to wait for the lock
 * itself: they may have completed before the walk. So a walk counts for NO only if many calls
 * completed while the walk took hardly more wall-clock time than CPU time.
 */
#include "config.h"

#include "collectors/process/self/lock-trial.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/os/file.h"
#include "base/os/rights.h"
#include "base/scan.h"

#ifndef MADV_POPULATE_READ
#define MADV_POPULATE_READ 22 /* Linux 5.14 */
#endif

/*
 * Page tables for 98,304 pages have 768 KiB. A walk over them takes from 0.5 to more than 2 ms,
 * depending on the machine.
 */
#define REGION_BYTES   ((size_t)384 << 20)
#define WALK_LEAST_NS  NS_PER_MSEC /* shorter walks prove nothing */
#define WALK_ENOUGH_NS (2 * WALK_LEAST_NS)
#define READY_WAIT_NS  (2 * NS_PER_SEC)
#define ENDED_WAIT_NS  (100 * NS_PER_MSEC)

enum {
	REGIONS_MAX = 8,
	CALLS_LEAST = 100,
	YES_PART = 4, /* a wait of at least this part of the walk is due to it */
	NO_PART = 8,  /* a wait below this part of the walk is not due to it */
	/* a read that took longer than its CPU time by more than this part has waited itself */
	LATE_PART = 4,
	YES_LEAST = 2, /* walks; a single one may be an accident */
	NO_LEAST = 4,
	ASKED_MAX = 3,
	CPU_MAX_S = 2,
	LIFE_MAX_S = 10,
};

enum lock_trial_verdict lock_trial_judge(const struct lock_trial_try *tries, size_t count)
{
	size_t waited = 0, passed = 0, between = 0;

	for (size_t i = 0; i < count; i++) {
		const struct lock_trial_try *t = &tries[i];

		if (t->walk_ns < WALK_LEAST_NS)
			continue;
		if (t->wait_ns >= t->walk_ns / YES_PART)
			waited++;
		else if (t->wait_ns > t->walk_ns / NO_PART)
			between++;
		else if (t->calls >= CALLS_LEAST &&
			 t->took_ns <= t->walk_ns + t->walk_ns / LATE_PART)
			passed++;
	}
	if (waited >= YES_LEAST)
		return LOCK_TRIAL_YES;
	return !waited && !between && passed >= NO_LEAST ? LOCK_TRIAL_NO : LOCK_TRIAL_UNKNOWN;
}

/* Memory that the child and the grandchild share. */
struct arena {
	atomic_uint_fast64_t calls, longest_ns;
};

/*
 * Returns for how long this process has waited for a CPU: the second number of schedstat. Returns 0
 * if the kernel does not say.
 */
static uint64_t run_queue_ns(int schedstat)
{
	uint64_t used, waited;
	char text[128];
	ssize_t len = file_read_at(schedstat, text, sizeof(text), 0);
	struct scan s = {text, text + (len > 0 ? len : 0)};

	return scan_decimal(&s, &used) && scan_char(&s, ' ') && scan_decimal(&s, &waited) ? waited
	                                                                                  : 0;
}

/*
 * Opens smaps_rollup of PID. Call it before the process gives up its rights: the kernel does not
 * let a process without rights trace one that had some.
 */
static int open_rollup(pid_t pid)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/smaps_rollup", (int)pid);
	return open(path, O_RDONLY | O_CLOEXEC);
}

/* Makes page tables in which every entry is the zero page. */
static int lock_trial_populate(void)
{
	void *region = mmap(
		NULL, REGION_BYTES, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (region == MAP_FAILED)
		return -errno;
	/* Fails without CONFIG_TRANSPARENT_HUGEPAGE, where it is not needed. */
	(void)madvise(region, REGION_BYTES, MADV_NOHUGEPAGE);
	return madvise(region, REGION_BYTES, MADV_POPULATE_READ) < 0 ? -errno : 0;
}

/*
 * Calls lock_trial_populate() until a walk takes long enough. ROLLUP is this process's own
 * smaps_rollup.
 */
static int populate_enough(int rollup)
{
	char text[2048];
	int r = 0;

	for (unsigned int i = 0; r == 0 && i < REGIONS_MAX; i++) {
		uint64_t before_ns;

		r = lock_trial_populate();
		before_ns = clock_now_ns(CLOCK_THREAD_CPUTIME_ID);
		if (r == 0 && pread(rollup, text, sizeof(text), 0) <= 0)
			return -EIO;
		if (clock_now_ns(CLOCK_THREAD_CPUTIME_ID) - before_ns >= WALK_ENOUGH_NS)
			break;
	}
	return r;
}

/*
 * Gives up all rights. Sets the parent-death signal again, since the change of uid clears it, so
 * that the process ends with PARENT.
 */
static int give_up_rights(pid_t parent)
{
	int r = rights_drop();

	if (r < 0)
		return r;
	return prctl(PR_SET_PDEATHSIG, SIGKILL) < 0 || getppid() != parent ? -ESRCH : 0;
}

/* Maps and unmaps a page until it is killed. */
static _Noreturn void map_and_unmap(struct arena *arena, pid_t parent)
{
	int schedstat = open("/proc/self/schedstat", O_RDONLY | O_CLOEXEC);
	int rollup = open_rollup(getpid());
	uint64_t waited_ns;

	if (rollup < 0 || give_up_rights(parent) < 0 || populate_enough(rollup) < 0)
		_exit(1);
	close(rollup);
	waited_ns = run_queue_ns(schedstat);
	for (;;) {
		uint64_t begin_ns = clock_now_ns(CLOCK_MONOTONIC), took_ns, until_ns;
		void *page = mmap(NULL, 1, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		if (page == MAP_FAILED || munmap(page, 1) < 0)
			_exit(1);
		took_ns = clock_now_ns(CLOCK_MONOTONIC) - begin_ns;
		until_ns = run_queue_ns(schedstat);
		took_ns -= until_ns - waited_ns < took_ns ? until_ns - waited_ns : took_ns;
		waited_ns = until_ns;
		if (took_ns > atomic_load(&arena->longest_ns))
			atomic_store(&arena->longest_ns, took_ns);
		atomic_fetch_add(&arena->calls, 1);
	}
}

/*
 * Waits until the grandchild has completed COUNT calls in all. Returns false if that takes longer
 * than TIME_NS.
 */
static bool await_calls(struct arena *arena, uint64_t count, uint64_t time_ns)
{
	const struct timespec pause = {.tv_nsec = NS_PER_MSEC / 4};
	uint64_t end_ns = clock_now_ns(CLOCK_MONOTONIC) + time_ns;

	while (atomic_load(&arena->calls) < count) {
		if (clock_now_ns(CLOCK_MONOTONIC) >= end_ns)
			return false;
		nanosleep(&pause, NULL);
	}
	return true;
}

/* Makes one walk. Returns false if it failed or the grandchild does not go on. */
static bool try_once(struct arena *arena, int rollup, struct lock_trial_try *ret)
{
	uint64_t begin_ns, before_ns, calls;
	char text[2048];

	atomic_store(&arena->longest_ns, 0);
	calls = atomic_load(&arena->calls);
	begin_ns = clock_now_ns(CLOCK_MONOTONIC);
	before_ns = clock_now_ns(CLOCK_THREAD_CPUTIME_ID);
	if (pread(rollup, text, sizeof(text), 0) <= 0)
		return false;
	ret->walk_ns = clock_now_ns(CLOCK_THREAD_CPUTIME_ID) - before_ns;
	ret->took_ns = clock_now_ns(CLOCK_MONOTONIC) - begin_ns;
	ret->calls = atomic_load(&arena->calls) - calls;
	/* A call that waited for the walk ends now. */
	if (!await_calls(arena, calls + ret->calls + 2, ENDED_WAIT_NS))
		return false;
	ret->wait_ns = atomic_load(&arena->longest_ns);
	return true;
}

static size_t try_all(struct arena *arena, int rollup, pid_t parent, struct lock_trial_try *ret)
{
	const struct timespec pause = {.tv_nsec = NS_PER_MSEC / 2};
	size_t count = 0;

	if (rollup < 0 || give_up_rights(parent) < 0 || !await_calls(arena, 1, READY_WAIT_NS))
		return 0;
	while (count < LOCK_TRIAL_TRIES && try_once(arena, rollup, &ret[count])) {
		count++;
		nanosleep(&pause, NULL);
	}
	return count;
}

static _Noreturn void lock_trial_child(int fd, pid_t parent)
{
	const struct rlimit limit = {CPU_MAX_S, CPU_MAX_S};
	struct lock_trial_try tries[LOCK_TRIAL_TRIES];
	struct arena *arena;
	size_t count;
	pid_t self, other;
	int gate[2], rollup;
	char go;

	if (dup2(fd, STDIN_FILENO) < 0 || close_range(STDERR_FILENO + 1, ~0U, 0) < 0 ||
		setrlimit(RLIMIT_CPU, &limit) < 0)
		_exit(1);
	alarm(LIFE_MAX_S);
	prctl(PR_SET_NAME, "memtallyd-probe");
	arena = mmap(
		NULL, sizeof(*arena), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (arena == MAP_FAILED || pipe2(gate, O_CLOEXEC) < 0)
		_exit(1);
	self = getpid();
	other = fork();
	if (other < 0)
		_exit(1);
	if (other == 0) {
		close(STDIN_FILENO);
		close(gate[1]);
		/* returns at end of file: the child has opened this process's smaps_rollup */
		(void)!read(gate[0], &go, 1);
		map_and_unmap(arena, self);
	}
	rollup = open_rollup(other);
	close(gate[0]);
	close(gate[1]);
	count = try_all(arena, rollup, parent, tries);
	kill(other, SIGKILL);
	while (waitpid(other, NULL, 0) < 0 && errno == EINTR)
		;
	count *= sizeof(tries[0]);
	_exit(write(STDIN_FILENO, tries, count) == (ssize_t)count ? 0 : 1);
}

void lock_trial_init(struct lock_trial *t)
{
	*t = (struct lock_trial){.fd = -1};
}

void lock_trial_done(struct lock_trial *t)
{
	if (t->pid) {
		kill(t->pid, SIGKILL);
		while (waitpid(t->pid, NULL, 0) < 0 && errno == EINTR)
			;
	}
	t->pid = 0;
	t->fd = fd_close(t->fd);
}

int lock_trial_ask(struct lock_trial *t)
{
	pid_t parent = getpid(), pid;
	int fds[2];

	if (t->verdict != LOCK_TRIAL_UNKNOWN || t->pid || t->asked >= ASKED_MAX)
		return 0;
	t->asked++;
	if (pipe2(fds, O_CLOEXEC | O_NONBLOCK) < 0)
		return -errno;
	pid = fork();
	if (pid == 0)
		lock_trial_child(fds[1], parent);
	close(fds[1]);
	if (pid < 0) {
		int r = -errno;

		close(fds[0]);
		return r;
	}
	t->pid = pid;
	t->fd = fds[0];
	return 0;
}

static uint64_t lock_trial_ns_of(const struct timeval *t)
{
	return (uint64_t)t->tv_sec * NS_PER_SEC + (uint64_t)t->tv_usec * NS_PER_USEC;
}

bool lock_trial_answer(struct lock_trial *t, uint64_t *ret_cpu_ns)
{
	/* one more than can be read, so that the end of file is seen */
	struct lock_trial_try tries[LOCK_TRIAL_TRIES + 1];
	struct rusage usage;
	size_t len;
	int status;

	if (!t->pid || wait4(t->pid, &status, WNOHANG, &usage) != t->pid)
		return false;
	if (file_read_fd(t->fd, (char *)tries, sizeof(tries), &len) == 0 && status == 0 && len > 0)
		t->verdict = lock_trial_judge(tries, len / sizeof(tries[0]));
	t->pid = 0;
	t->fd = fd_close(t->fd);
	*ret_cpu_ns = lock_trial_ns_of(&usage.ru_utime) + lock_trial_ns_of(&usage.ru_stime);
	return true;
}
