/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "tests/unit/support/tree/crew.h"

#include <errno.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "tests/unit/support/unit.h"

void crew_reap(struct crew *crew)
{
	for (unsigned int i = 0; i < LANES; i++)
		if (crew->pid[i] && waitpid(crew->pid[i], NULL, WNOHANG) > 0) {
			crew->pid[i] = 0;
			worker_exited(&crew->workers.lanes.shared[i]);
		}
}

static int start(void *to, unsigned int lane)
{
	struct crew *crew = to;

	crew->pid[lane] = fork();
	if (crew->pid[lane] == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		_exit(worker_serve(&crew->workers.lanes.shared[lane], crew->fd) < 0);
	}
	return crew->pid[lane] < 0 ? -errno : 0;
}

static void end(void *to, unsigned int lane)
{
	struct crew *crew = to;

	if (crew->pid[lane] && !crew->cannot_kill)
		kill(crew->pid[lane], SIGKILL);
	crew_reap(crew);
}

static bool go_on(void *to)
{
	struct crew *crew = to;

	crew_reap(crew);
	crew->was_hurried = crew->workers.lanes.is_hurried;
	return !crew->is_stopped;
}

void crew_open(struct crew *crew, int fd)
{
	const struct lanes_control control = {.start = start,
		.kill = end,
		.wait = go_on,
		.to = crew,
		/*
		 * The first read of a file may update its access time, and wait for the disk in
		 * state D.
		 */
		.patience = {.long_ns = 200 * NS_PER_MSEC,
			.short_ns = NS_PER_MSEC,
			.share_ns = 900 * NS_PER_MSEC}};

	*crew = (struct crew){.fd = fd};
	assert_int_equal(workers_open(&crew->workers), 0);
	assert_int_equal(workers_start(&crew->workers, &control), 0);
}

void crew_close(struct crew *crew)
{
	for (unsigned int i = 0; i < LANES; i++)
		if (crew->pid[i]) {
			kill(crew->pid[i], SIGKILL);
			waitpid(crew->pid[i], NULL, 0);
		}
	workers_close(&crew->workers);
}
