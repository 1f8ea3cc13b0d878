/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "daemon/resolver.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
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

/* What is left of a question when its answer does not come. */
struct question {
	enum resolver_kind kind;
	unsigned int id;
};

struct resolver {
	struct account account;
	int fd;       /* -1: there is no child */
	pid_t pid;    /* 0: there is no child */
	pid_t ending; /* of a former child that was killed; 0: none */
	unsigned int in_flight;
	struct question flight[IN_FLIGHT_MAX]; /* in the order of the answers */
	unsigned int lost;
	struct question loss[IN_FLIGHT_MAX];
};

/* What a lookup without a result means: errno is 0, or one of those that getpwnam(3) warns of. */
static enum resolver_result result_of(const void *entry, int error)
{
	if (entry)
		return RESOLVER_FOUND;
	return error == 0 || error == ENOENT || error == ESRCH ? RESOLVER_ABSENT : RESOLVER_FAILED;
}

static void answer_user_name(struct resolver_message *m)
{
	const struct passwd *user = getpwuid(m->id);

	m->result = result_of(user, errno);
	if (user && snprintf(m->name, sizeof(m->name), "%s", user->pw_name) >= (int)sizeof(m->name))
		m->result = RESOLVER_ABSENT;
}

static void answer(struct resolver_message *m)
{
	const struct passwd *user;
	const struct group *group;

	m->name[sizeof(m->name) - 1] = 0;
	errno = 0;
	switch (m->kind) {
	case RESOLVER_USER_NAME: answer_user_name(m); break;
	case RESOLVER_USER_ID:
		user = getpwnam(m->name);
		m->result = result_of(user, errno);
		m->id = user ? user->pw_uid : 0;
		break;
	case RESOLVER_GROUP_ID:
		group = getgrnam(m->name);
		m->result = result_of(group, errno);
		m->id = group ? group->gr_gid : 0;
		break;
	}
}

static _Noreturn void child(int fd, pid_t parent, const struct account *account)
{
	/* Ctrl-C goes to the whole group, systemd's SIGTERM to the cgroup: it ends with its parent. */
	signal(SIGINT, SIG_IGN);
	signal(SIGTERM, SIG_IGN);
	/* A listening socket of the service manager's, above all. */
	if (close_range(STDERR_FILENO + 1, (unsigned int)fd - 1, 0) < 0 ||
		close_range((unsigned int)fd + 1, ~0U, 0) < 0)
		_exit(1);
	if (narrow_resolver(account) < 0 || prctl(PR_SET_PDEATHSIG, SIGKILL) < 0 ||
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
		child(fds[1], parent, &r->account);
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

int resolver_start(const struct account *account, struct resolver **ret)
{
	AUTO_FREE struct resolver *r = calloc(1, sizeof(*r));
	int error;

	if (!r)
		return -ENOMEM;
	*r = (struct resolver){.account = *account, .fd = -1};
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

bool resolver_lost(struct resolver *r, struct resolver_message *ret)
{
	const struct question *q;

	if (!r->lost)
		return false;
	q = &r->loss[--r->lost];
	*ret = (struct resolver_message){.kind = q->kind, .id = q->id, .result = RESOLVER_FAILED};
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

int resolver_ask(struct resolver *r, const struct resolver_message *question)
{
	struct resolver_message m = {
		.kind = question->kind,
		.id = question->id,
	};

	reap(r);
	if (!resolver_has_room(r))
		return -EAGAIN;
	snprintf(m.name, sizeof(m.name), "%s", question->name);
	if (send(r->fd, &m, sizeof(m), MSG_NOSIGNAL | MSG_DONTWAIT) != sizeof(m))
		return errno == EAGAIN ? -EAGAIN : -EPIPE;
	r->flight[r->in_flight++] = (struct question){.kind = m.kind, .id = m.id};
	return 0;
}

int resolver_answer(struct resolver *r, struct resolver_message *ret)
{
	ssize_t n;

	do
		n = recv(r->fd, ret, sizeof(*ret), MSG_DONTWAIT);
	while (n < 0 && errno == EINTR);
	if (n < 0 && errno == EAGAIN)
		return -EAGAIN;
	if (n != sizeof(*ret))
		return -EPIPE;
	ret->name[sizeof(ret->name) - 1] = 0;
	if (r->in_flight) {
		r->in_flight--;
		memmove(r->flight, r->flight + 1, r->in_flight * sizeof(*r->flight));
	}
	return 0;
}
