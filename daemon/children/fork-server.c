/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Orders to the fork server of resolvers
 *
 * An order is one byte. Without a descriptor: kill the child. With a descriptor: kill the child and
 * fork another, which answers there. There are no answers: memtallyd sees that there is no child by
 * the end of that descriptor's channel, of which no other process keeps a copy.
 */
#include "config.h"

#include "daemon/children/fork-server.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/os/channel.h"
#include "base/os/file.h"
#include "base/os/resident.h"
#include "collectors/procfs/stat.h"
#include "confine/inheritance.h"
#include "daemon/children/child.h"
#include "daemon/children/drop-privileges.h"
#include "daemon/children/lookup.h"

enum { STAT_SIZE = 1024 }; /* 52 numbers and a name of 15 bytes */

/* State of the fork server. */
struct fork_server_state {
	int fd;         /* memtallyd's orders */
	sigset_t usual; /* the signal mask before, without SIGCHLD */
	pid_t child;    /* 0: none */
	pid_t ending;   /* an earlier child, which was killed and has not exited; 0: none */
};

static void fork_server_wake(int signal)
{
	(void)signal;
}

static _Noreturn void be_child(const struct fork_server_state *b, int fd, pid_t parent)
{
	signal(SIGCHLD, SIG_DFL);
	sigprocmask(SIG_SETMASK, &b->usual, NULL);
	if (inheritance_close_but(fd, -1) < 0 || child_end_with(parent) < 0 ||
		drop_privileges_resolver() < 0)
		_exit(1);
	prctl(PR_SET_NAME, "memtallyd-names");
	resident_rest();
	lookup_serve(fd);
}

/* Forgets *PID when the process has exited: the pid may then be another process's. */
static void fork_server_reap(pid_t *pid)
{
	if (*pid > 0 && waitpid(*pid, NULL, WNOHANG) != 0)
		*pid = 0;
}

static void reap_all(struct fork_server_state *b)
{
	fork_server_reap(&b->child);
	fork_server_reap(&b->ending);
}

/*
 * Kills the child. It moves to .ending, unless an earlier child still hangs there: then it stays in
 * .child.
 */
static void end_child(struct fork_server_state *b)
{
	if (b->child > 0)
		kill(b->child, SIGKILL);
	reap_all(b);
	if (b->ending)
		return;
	b->ending = b->child;
	b->child = 0;
}

static void replace_child(struct fork_server_state *b, int fd)
{
	pid_t parent = getpid(), pid;

	end_child(b);
	if (b->child)
		return;
	pid = fork();
	if (pid == 0)
		be_child(b, fd, parent);
	b->child = pid > 0 ? pid : 0;
}

/* Waits for an order, or the exit of a child. */
static void fork_server_rest(const struct fork_server_state *b)
{
	struct pollfd said = {.fd = b->fd, .events = POLLIN};

	(void)ppoll(&said, 1, NULL, &b->usual);
}

static _Noreturn void fork_server_serve(struct fork_server_state *b)
{
	for (;;) {
		AUTO_CLOSE int fd = -1;
		int r = channel_receive_fd(b->fd, &fd);

		if (r == 0)
			replace_child(b, fd);
		else if (r == -EPROTO)
			end_child(b);
		else if (r != CHANNEL_NOTHING)
			_exit(r < 0);
		else
			fork_server_rest(b);
		reap_all(b);
	}
}

static _Noreturn void be_fork_server(
	const struct account *account, uid_t master, int fd, pid_t parent)
{
	const struct sigaction waking = {.sa_handler = fork_server_wake};
	struct fork_server_state b = {.fd = fd};
	sigset_t ended;

	child_ignore_signals();
	sigemptyset(&ended);
	sigaddset(&ended, SIGCHLD);
	/* Closes above all a listening socket that the service manager passed. */
	if (inheritance_close_but(fd, -1) < 0 || drop_privileges_fork_server(account, master) < 0 ||
		child_end_with(parent) < 0 || sigaction(SIGCHLD, &waking, NULL) < 0 ||
		sigprocmask(SIG_BLOCK, &ended, &b.usual) < 0)
		_exit(1);
	prctl(PR_SET_NAME, "memtallyd-spawn");
	resident_rest();
	sigdelset(&b.usual, SIGCHLD);
	fork_server_serve(&b);
}

int fork_server_open(const struct account *account, uid_t master, struct fork_server *ret)
{
	pid_t parent = getpid(), pid;
	int fds[2];

	*ret = (struct fork_server){.fd = -1};
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds) < 0)
		return -errno;
	pid = fork();
	if (pid == 0)
		be_fork_server(account, master, fds[1], parent);
	fd_close(fds[1]);
	if (pid < 0) {
		fd_close(fds[0]);
		return -errno;
	}
	*ret = (struct fork_server){.fd = fds[0], .pid = pid};
	return 0;
}

void fork_server_close(struct fork_server *s)
{
	s->fd = fd_close(s->fd);
	if (s->pid > 0)
		kill(s->pid, SIGKILL);
	fork_server_reap(&s->pid);
}

/* An order before the last one was read would queue up, with its descriptor in flight. */
static int check_listening(struct fork_server *s)
{
	fork_server_reap(&s->pid);
	return channel_is_drained(s->fd) ? 0 : -EBUSY;
}

int fork_server_replace(struct fork_server *s, int fd)
{
	int r = check_listening(s);

	return r < 0 ? r : channel_send_fd(s->fd, fd);
}

int fork_server_end(struct fork_server *s)
{
	int r = check_listening(s);

	if (r < 0)
		return r;
	return send(s->fd, "", 1, MSG_NOSIGNAL | MSG_DONTWAIT) < 0 ? -errno : 0;
}

bool fork_server_has(const struct fork_server *s, pid_t pid)
{
	char path[sizeof("/proc//stat") + 11], text[STAT_SIZE];
	struct stat_info stat;
	size_t len;

	if (s->pid <= 0 || pid <= 0)
		return false;
	if (pid == s->pid)
		return true;
	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	if (file_read(AT_FDCWD, path, text, sizeof(text), &len) < 0 ||
		stat_parse(text, len, &stat) < 0)
		return true;
	return stat.parent == s->pid;
}
