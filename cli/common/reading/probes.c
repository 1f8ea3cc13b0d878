/* SPDX-License-Identifier: Apache-2.0 */
/* Probes are forked: only struct probes_shared is shared memory. */
#include "config.h"

#include "cli/common/reading/probes.h"

#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "cli/common/reading/task.h"
#include "collectors/procfs/procfs.h"

/* a probe counts as blocked after sleeping for this long */
#define PROBED_NS     (250 * NS_PER_MSEC)
#define PROBE_STEP_NS (10 * NS_PER_MSEC)

enum {
	PROBES_MAX = 256,
	PROBES_FIRST = 4,
};

/* A probe and what it reads. */
struct probe {
	_Atomic pid_t task;        /* its own pid */
	_Atomic pid_t pid;         /* the process that it reads; 0: none */
	_Atomic uint64_t since_ns; /* CLOCK_MONOTONIC */
};

/* In memory that the supervisor and all probes share. */
struct probes_shared {
	/* index of the next pid to probe, in the list that all probes have */
	_Atomic uint32_t next;
	_Atomic uint32_t count;
	struct probe probe[PROBES_MAX];
};

bool probes_open(const char *procfs, bool (*is_known)(pid_t pid), struct probes *ret)
{
	void *shared = mmap(NULL, sizeof(struct probes_shared), PROT_READ | PROT_WRITE,
		MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	*ret = (struct probes){.procfs = procfs, .is_known = is_known};
	if (shared == MAP_FAILED)
		return false;
	ret->shared = shared;
	return true;
}

void probes_close(struct probes *p)
{
	if (p->shared)
		munmap(p->shared, sizeof(*p->shared));
	p->shared = NULL;
}

static void end_with_parent(void)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
}

static void probes_touch(int procfs_fd, pid_t pid, const char *file)
{
	char path[64], byte;
	int fd;

	snprintf(path, sizeof(path), "%d/%s", (int)pid, file);
	fd = openat(procfs_fd, path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return;
	(void)!read(fd, &byte, sizeof(byte));
	close(fd);
}

static void probes_probe(
	const struct probes *p, const struct procfs *procfs, const pid_t *pids, struct probe *self)
{
	struct probes_shared *all = p->shared;
	uint32_t i;

	while ((i = all->next++) < all->count) {
		if (p->is_known(pids[i]))
			continue;
		self->since_ns = clock_now_ns(CLOCK_MONOTONIC);
		self->pid = pids[i];
		probes_touch(procfs->fd, pids[i], "stat");
		probes_touch(procfs->fd, pids[i], "smaps");
		self->pid = 0;
	}
}

static bool is_probing(const struct probe *p, uint64_t now_ns)
{
	return p->pid && now_ns > p->since_ns && now_ns - p->since_ns >= PROBE_STEP_NS;
}

/* Forks probes, and doubles their number as soon as all of them seem to be blocked. */
static _Noreturn void run_probes(
	const struct probes *p, const struct procfs *procfs, const pid_t *pids)
{
	const struct timespec step = {.tv_nsec = PROBE_STEP_NS / 2};
	size_t started = 0, wanted = PROBES_FIRST;

	while (p->shared->next < p->shared->count) {
		uint64_t now_ns = clock_now_ns(CLOCK_MONOTONIC);
		bool all = true;

		for (; started < wanted; started++) {
			pid_t pid = fork();

			if (pid < 0)
				break;
			if (pid == 0) {
				end_with_parent();
				p->shared->probe[started].task = getpid();
				probes_probe(p, procfs, pids, &p->shared->probe[started]);
				_exit(0);
			}
		}
		nanosleep(&step, NULL);
		now_ns = clock_now_ns(CLOCK_MONOTONIC);
		for (size_t i = 0; i < started; i++)
			all = all && is_probing(&p->shared->probe[i], now_ns);
		if (all && wanted < PROBES_MAX)
			wanted *= 2;
	}
	for (;;)
		pause(); /* the probes end with this process */
}

static _Noreturn void run_prober(const struct probes *p)
{
	struct procfs procfs = {.fd = -1};
	pid_t *pids = NULL;
	size_t capacity = 0;
	ssize_t count;

	end_with_parent();
	if (procfs_open(p->procfs, &procfs) < 0 ||
		(count = procfs_list(&procfs, &pids, &capacity)) < 0)
		_exit(1);
	p->shared->count = (uint32_t)count;
	run_probes(p, &procfs, pids);
}

void probes_start(struct probes *p)
{
	if (p->prober)
		return;
	memset(p->shared, 0, sizeof(*p->shared));
	p->prober = fork();
	if (p->prober == 0)
		run_prober(p);
}

void probes_end(struct probes *p)
{
	if (p->prober > 0) {
		kill(p->prober, SIGKILL);
		waitpid(p->prober, NULL, 0);
	}
	p->prober = 0;
}

bool probes_are_done(const struct probes *p)
{
	uint64_t now_ns = clock_now_ns(CLOCK_MONOTONIC);

	if (p->prober <= 0)
		return true;
	if (!p->shared->count || p->shared->next < p->shared->count)
		return false;
	for (size_t i = 0; i < PROBES_MAX; i++) {
		const struct probe *one = &p->shared->probe[i];

		if (one->pid && now_ns < one->since_ns + PROBED_NS)
			return false;
	}
	return true;
}

bool probes_next_blocked(const struct probes *p, size_t *at, pid_t *ret_pid, uint64_t *ret_ns)
{
	uint64_t now_ns = clock_now_ns(CLOCK_MONOTONIC);

	while (p->prober > 0 && *at < PROBES_MAX) {
		const struct probe *one = &p->shared->probe[(*at)++];
		pid_t pid = one->pid;
		uint64_t since_ns = one->since_ns;

		if (!pid || now_ns < since_ns + PROBED_NS || task_state(one->task) != 'D' ||
			!task_is_in_call(one->task))
			continue;
		*ret_pid = pid;
		*ret_ns = now_ns - since_ns;
		return true;
	}
	return false;
}
