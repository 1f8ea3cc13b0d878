/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "daemon/resolver.h"

#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/resident.h"
#include "daemon/narrow.h"

enum {
	IN_FLIGHT_MAX = 32, /* far below what a socket's queue holds */
};

struct resolver {
	struct account account;
	uid_t master; /* who ends it: whom we become */
	int fd;       /* -1: there is no child */
	pid_t pid;    /* 0: there is no child */
	pid_t ending; /* of a former child that was killed; 0: none */
	unsigned int in_flight;
	uid_t flight[IN_FLIGHT_MAX]; /* in the order of the answers */
	unsigned int lost;
	uid_t loss[IN_FLIGHT_MAX];
};

/* What a lookup without a result means: errno is 0, or one of those that getpwnam(3) warns of. */
static enum resolver_result result_of(const void *entry, int error)
{
	if (entry)
		return RESOLVER_FOUND;
	return error == 0 || error == ENOENT || error == ESRCH ? RESOLVER_ABSENT : RESOLVER_FAILED;
}

static void answer(struct resolver_message *m)
{
	const struct passwd *user;

	errno = 0;
	user = getpwuid(m->uid);
	m->result = result_of(user, errno);
	if (user && snprintf(m->name, sizeof(m->name), "%s", user->pw_name) >= (int)sizeof(m->name))
		m->result = RESOLVER_ABSENT;
}

static _Noreturn void child(const struct resolver *r, int fd, pid_t parent)
{
	/* Ctrl-C goes to the whole group, systemd's SIGTERM to the cgroup: it ends with its parent. */
	signal(SIGINT, SIG_IGN);
	signal(SIGTERM, SIG_IGN);
	/* A listening socket of the service manager's, above all. */
	if (close_range(STDERR_FILENO + 1, (unsigned int)fd - 1, 0) < 0 ||
		close_range((unsigned int)fd + 1, ~0U, 0) < 0)
		_exit(1);
	if (narrow_resolver(&r->account, r->master) < 0 || prctl(PR_SET_PDEATHSIG, SIGKILL) < 0 ||
		getppid() != parent)
		_exit(1);
	prctl(PR_SET_NAME, "memtallyd-names");
	resident_rest();
	for (;;) {
		struct resolver_message m;
		ssize_t n = recv(fd, &m, sizeof(m), 0);

		if (n < 0 && errno == EINTR)
			continue;
		if (n != sizeof(m))
			_exit(n == 0 ? 0 : 1);
		answer(&m);
		if (send(fd, &m, sizeof(m), MSG_NOSIGNAL) != sizeof(m))
			_exit(1);
	}
}

/* Its fd and pid are those of no child before. */
static int start_child(struct resolver *r)
{
	pid_t parent = getpid(), pid;
	int fds[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds) < 0)
		return -errno;
	pid = fork();
	if (pid < 0) {
		fd_close(fds[0]);
		fd_close(fds[1]);
		return -errno;
	}
	if (pid == 0) {
		close(fds[0]);
		child(r, fds[1], parent);
	}
	close(fds[1]);
	r->fd = fds[0];
	r->pid = pid;
	return 0;
}

/* Whether there is no former child any more. */
static bool reap(struct resolver *r)
{
	if (r->ending > 0 && waitpid(r->ending, NULL, WNOHANG) == 0)
		return false;
	r->ending = 0;
	return true;
}

int resolver_start(const struct account *account, uid_t master, struct resolver **ret)
{
	AUTO_FREE struct resolver *r = calloc(1, sizeof(*r));
	int error;

	if (!r)
		return -ENOMEM;
	*r = (struct resolver){.account = *account, .master = master, .fd = -1};
	error = start_child(r);
	if (error < 0)
		return error;
	*ret = TAKE_PTR(r);
	return 0;
}

int resolver_replace(struct resolver *r)
{
	if (!reap(r))
		return -EBUSY;
	r->fd = fd_close(r->fd);
	if (r->pid > 0)
		kill(r->pid, SIGKILL);
	r->ending = r->pid;
	r->pid = 0;
	memcpy(r->loss, r->flight, sizeof(r->loss));
	r->lost = r->in_flight;
	r->in_flight = 0;
	return start_child(r);
}

bool resolver_lost(struct resolver *r, uid_t *ret)
{
	if (!r->lost)
		return false;
	*ret = r->loss[--r->lost];
	return true;
}

unsigned int resolver_in_flight(const struct resolver *r)
{
	return r->in_flight;
}

struct resolver *resolver_stop(struct resolver *r)
{
	if (!r)
		return NULL;
	fd_close(r->fd);
	/* It may hang in a name service: it is not asked, and not waited for longer than it takes to die. */
	if (r->pid > 0)
		kill(r->pid, SIGKILL);
	while (r->pid > 0 && waitpid(r->pid, NULL, 0) < 0 && errno == EINTR)
		;
	reap(r);
	free(r);
	return NULL;
}

int resolver_fd(const struct resolver *r)
{
	return r->fd;
}

bool resolver_has_room(const struct resolver *r)
{
	return r->in_flight < IN_FLIGHT_MAX;
}

int resolver_ask(struct resolver *r, uid_t uid)
{
	struct resolver_message m = {.uid = uid};

	reap(r);
	if (!resolver_has_room(r))
		return -EAGAIN;
	if (send(r->fd, &m, sizeof(m), MSG_NOSIGNAL | MSG_DONTWAIT) != sizeof(m))
		return errno == EAGAIN ? -EAGAIN : -EPIPE;
	r->flight[r->in_flight++] = uid;
	return 0;
}

/* Of LEN bytes; whether that is what was asked for first. */
static bool is_answer(const struct resolver *r, const struct resolver_message *m, size_t len)
{
	return len == sizeof(*m) && r->in_flight && m->uid == r->flight[0] &&
	       (m->result == RESOLVER_FOUND || m->result == RESOLVER_ABSENT ||
		       m->result == RESOLVER_FAILED) &&
	       memchr(m->name, 0, sizeof(m->name));
}

int resolver_answer(struct resolver *r, struct resolver_message *ret)
{
	struct resolver_message m;
	ssize_t n;

	do
		n = recv(r->fd, &m, sizeof(m), MSG_DONTWAIT | MSG_TRUNC);
	while (n < 0 && errno == EINTR);
	if (n < 0 && errno == EAGAIN)
		return -EAGAIN;
	if (n <= 0)
		return -EPIPE;
	if (!is_answer(r, &m, (size_t)n)) {
		kill(r->pid, SIGKILL);
		return -EPROTO;
	}
	r->in_flight--;
	memmove(r->flight, r->flight + 1, r->in_flight * sizeof(*r->flight));
	*ret = m;
	return 0;
}
