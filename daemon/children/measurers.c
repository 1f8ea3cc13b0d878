/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Orders to the parent of measuring workers
 *
 * An order is two bytes: START or KILL, and the lane. There are no answers: that a worker has
 * exited is written in its lane. A worker that is killed may stay in the kernel, where a read
 * cannot be ended: it keeps its lane until it has exited.
 */
#include "config.h"

#include "daemon/children/measurers.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/os/file.h"
#include "base/os/resident.h"
#include "confine/inheritance.h"
#include "daemon/children/child.h"
#include "daemon/children/drop-privileges.h"

enum {
	START = 'S',
	KILL = 'K',
	ORDER_SIZE = 2,
};

/* State of the parent. */
struct parent {
	int fd;        /* memtallyd's orders */
	int procfs_fd; /* the proc file system */
	sigset_t usual;
	struct worker_lane *lanes;
	pid_t worker[LANES]; /* 0: none */
};

static _Noreturn void be_worker(const struct parent *p, unsigned int lane, pid_t parent)
{
	signal(SIGCHLD, SIG_DFL);
	sigprocmask(SIG_SETMASK, &p->usual, NULL);
	close(p->fd);
	if (child_end_with(parent) < 0)
		_exit(1);
	prctl(PR_SET_NAME, "memtallyd-read");
	_exit(worker_serve(&p->lanes[lane], p->procfs_fd) < 0);
}

static void start_worker(struct parent *p, unsigned int lane)
{
	pid_t parent = getpid(), pid = p->worker[lane] ? -1 : fork();

	if (pid == 0)
		be_worker(p, lane, parent);
	if (pid > 0)
		p->worker[lane] = pid;
	else
		worker_exited(&p->lanes[lane]);
}

static void measurers_reap(struct parent *p)
{
	for (unsigned int i = 0; i < LANES; i++) {
		if (!p->worker[i] || waitpid(p->worker[i], NULL, WNOHANG) == 0)
			continue;
		p->worker[i] = 0;
		worker_exited(&p->lanes[i]);
	}
}

static void measurers_obey(struct parent *p, const unsigned char order[static ORDER_SIZE])
{
	unsigned int lane = order[1];

	measurers_reap(p);
	if (lane >= LANES)
		_exit(1);
	if (order[0] == START)
		start_worker(p, lane);
	else if (p->worker[lane])
		kill(p->worker[lane], SIGKILL);
}

static void measurers_wake(int signal)
{
	(void)signal;
}

static _Noreturn void measurers_serve(struct parent *p)
{
	for (;;) {
		struct pollfd orders = {.fd = p->fd, .events = POLLIN};
		unsigned char order[ORDER_SIZE];
		ssize_t n = recv(p->fd, order, sizeof(order), MSG_DONTWAIT);

		if (n == ORDER_SIZE)
			measurers_obey(p, order);
		else if (n < 0 && (errno == EAGAIN || errno == EINTR))
			(void)ppoll(&orders, 1, NULL, &p->usual);
		else
			_exit(n < 0); /* memtallyd has ended */
		measurers_reap(p);
	}
}

static _Noreturn void be_parent(
	const struct account *account, struct parent *p, int keep, pid_t memtallyd)
{
	const struct sigaction waking = {.sa_handler = measurers_wake};
	sigset_t exited;

	child_ignore_signals();
	sigemptyset(&exited);
	sigaddset(&exited, SIGCHLD);
	if (inheritance_close_but(p->fd, keep) < 0 || drop_privileges_measurers(account) < 0 ||
		child_end_with(memtallyd) < 0 || sigaction(SIGCHLD, &waking, NULL) < 0 ||
		sigprocmask(SIG_BLOCK, &exited, &p->usual) < 0)
		_exit(1);
	prctl(PR_SET_NAME, "memtallyd-forks");
	resident_rest();
	sigdelset(&p->usual, SIGCHLD);
	measurers_serve(p);
}

static int measurers_say(const struct measurers *m, unsigned char what, unsigned int lane)
{
	const unsigned char order[ORDER_SIZE] = {what, (unsigned char)lane};

	return send(m->fd, order, sizeof(order), MSG_NOSIGNAL | MSG_DONTWAIT) < 0 ? -errno : 0;
}

static int measurers_start(void *to, unsigned int lane)
{
	return measurers_say(to, START, lane);
}

static void measurers_end(void *to, unsigned int lane)
{
	(void)measurers_say(to, KILL, lane);
}

static bool measurers_wait_on(void *to)
{
	const struct measurers *m = to;

	return !m->wait || m->wait(m->wait_to);
}

void measurers_on_wait(struct measurers *m, bool (*wait)(void *to), void *to)
{
	m->wait = wait;
	m->wait_to = to;
}

int measurers_open(const struct account *account, const char *procfs, struct measurers *ret)
{
	AUTO_CLOSE int procfs_fd = open(procfs, O_PATH | O_DIRECTORY | O_CLOEXEC);
	AUTO_CLOSE int theirs = -1;
	pid_t memtallyd = getpid();
	int fds[2], r;

	*ret = (struct measurers){.fd = -1};
	if (procfs_fd < 0)
		return -errno;
	r = workers_open(&ret->workers);
	if (r < 0)
		return r;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds) < 0)
		return -errno;
	ret->fd = fds[0];
	theirs = fds[1];
	ret->pid = fork();
	if (ret->pid < 0) {
		ret->pid = 0;
		return -errno;
	}
	if (ret->pid == 0) {
		struct parent p = {
			.fd = theirs, .procfs_fd = procfs_fd, .lanes = ret->workers.lanes.shared};

		be_parent(account, &p, procfs_fd, memtallyd);
	}
	return workers_start(&ret->workers, &(struct lanes_control){.start = measurers_start,
						    .kill = measurers_end,
						    .wait = measurers_wait_on,
						    .to = ret,
						    .patience = {.long_ns = 10 * NS_PER_MSEC,
							    .short_ns = 1 * NS_PER_MSEC,
							    .share_ns = 50 * NS_PER_MSEC}});
}

void measurers_close(struct measurers *m)
{
	m->fd = fd_close(m->fd);
	if (m->pid > 0) {
		kill(m->pid, SIGKILL);
		(void)waitpid(m->pid, NULL, WNOHANG);
	}
	m->pid = 0;
	workers_close(&m->workers);
}
