/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "cli/common/reading/readers.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/os/file.h"

/*
 * No read is tried again, so memtally waits longer than memtallyd does; once such reads have taken
 * a second in all, it waits only 20 ms.
 */
static const struct lanes_patience patience = {
	.long_ns = 500 * NS_PER_MSEC, .short_ns = 20 * NS_PER_MSEC, .share_ns = 1 * NS_PER_SEC};

static void readers_reap(struct readers *r)
{
	for (unsigned int lane = 0; lane < LANES; lane++)
		if (r->pid[lane] && waitpid(r->pid[lane], NULL, WNOHANG) != 0) {
			r->pid[lane] = 0;
			worker_exited(&r->workers.lanes.shared[lane]);
		}
}

static int readers_start(void *to, unsigned int lane)
{
	struct readers *r = to;
	pid_t memtally = getpid(), pid = fork();

	if (pid < 0)
		return -errno;
	if (pid == 0) {
		if (prctl(PR_SET_PDEATHSIG, SIGKILL) < 0 || getppid() != memtally)
			_exit(1);
		_exit(worker_serve(&r->workers.lanes.shared[lane], r->procfs_fd) < 0);
	}
	r->pid[lane] = pid;
	return 0;
}

static void readers_end(void *to, unsigned int lane)
{
	struct readers *r = to;

	if (r->pid[lane])
		kill(r->pid[lane], SIGKILL);
	readers_reap(r);
}

static bool readers_wait_on(void *to)
{
	readers_reap(to);
	return true;
}

int readers_open(const char *procfs, struct readers *ret)
{
	int r;

	ret->procfs_fd = open(procfs, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (ret->procfs_fd < 0)
		return -errno;
	r = workers_open(&ret->workers);
	if (r < 0)
		return r;
	return workers_start(&ret->workers, &(struct lanes_control){.start = readers_start,
						    .kill = readers_end,
						    .wait = readers_wait_on,
						    .to = ret,
						    .patience = patience});
}

void readers_close(struct readers *r)
{
	for (unsigned int lane = 0; lane < LANES; lane++)
		if (r->pid[lane])
			kill(r->pid[lane], SIGKILL);
	if (r->workers.lanes.shared)
		readers_reap(r);
	workers_close(&r->workers);
	r->procfs_fd = fd_close(r->procfs_fd);
}
