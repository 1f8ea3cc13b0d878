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
#include "base/rights.h"

enum {
	IN_FLIGHT_MAX = 32, /* far below what a socket's queue holds */
};

struct resolver {
	int fd;
	pid_t pid;
	unsigned int in_flight;
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
	int kept;

	/* Ctrl-C goes to the whole group, systemd's SIGTERM to the cgroup: it ends with its parent. */
	signal(SIGINT, SIG_IGN);
	signal(SIGTERM, SIG_IGN);
	/* A listening socket of the service manager's, above all. */
	if (close_range(STDERR_FILENO + 1, (unsigned int)fd - 1, 0) < 0 ||
		close_range((unsigned int)fd + 1, ~0U, 0) < 0)
		_exit(1);
	if (rights_keep(NULL, 0, account->uid, account->gid, &kept) < 0 ||
		prctl(PR_SET_PDEATHSIG, SIGKILL) < 0 || getppid() != parent)
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

int resolver_start(const struct account *account, struct resolver **ret)
{
	AUTO_FREE struct resolver *r = calloc(1, sizeof(*r));
	pid_t parent = getpid();
	int fds[2];

	if (!r)
		return -ENOMEM;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds) < 0)
		return -errno;
	r->pid = fork();
	if (r->pid < 0) {
		fd_close(fds[0]);
		fd_close(fds[1]);
		return -errno;
	}
	if (r->pid == 0) {
		close(fds[0]);
		child(fds[1], parent, account);
	}
	close(fds[1]);
	r->fd = fds[0];
	*ret = TAKE_PTR(r);
	return 0;
}

struct resolver *resolver_stop(struct resolver *r)
{
	if (!r)
		return NULL;
	fd_close(r->fd);
	/* It may hang in a name service: it is not asked, and not waited for longer than it takes to die. */
	kill(r->pid, SIGKILL);
	while (waitpid(r->pid, NULL, 0) < 0 && errno == EINTR)
		;
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

	if (!resolver_has_room(r))
		return -EAGAIN;
	snprintf(m.name, sizeof(m.name), "%s", question->name);
	if (send(r->fd, &m, sizeof(m), MSG_NOSIGNAL | MSG_DONTWAIT) != sizeof(m))
		return errno == EAGAIN ? -EAGAIN : -EPIPE;
	r->in_flight++;
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
	if (r->in_flight)
		r->in_flight--;
	return 0;
}
