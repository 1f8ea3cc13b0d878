/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "daemon/children/resolver.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "daemon/children/fork-server.h"

enum {
	IN_FLIGHT_MAX = 32, /* far fewer than a socket's queue holds */
};

struct resolver {
	struct fork_server fork_server;
	int fd; /* channel to the child; -1: there is none */
	unsigned int in_flight;
	struct principal flight[IN_FLIGHT_MAX]; /* oldest first */
	unsigned int lost;
	struct principal loss[IN_FLIGHT_MAX];
};

/*
 * Orders a child for a new channel. memtallyd keeps no copy of the child's end, so the child's exit
 * shows as the end of the channel.
 */
static int have_child(struct resolver *r)
{
	int fds[2], error;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds) < 0)
		return -errno;
	error = fork_server_replace(&r->fork_server, fds[1]);
	fd_close(fds[1]);
	if (error < 0)
		fd_close(fds[0]);
	else
		r->fd = fds[0];
	return error;
}

int resolver_start(const struct account *account, uid_t master, struct resolver **ret)
{
	AUTO_RESOLVER struct resolver *r = calloc(1, sizeof(*r));
	int error;

	if (!r)
		return -ENOMEM;
	r->fd = -1;
	error = fork_server_open(account, master, &r->fork_server);
	if (error == 0)
		error = have_child(r);
	if (error < 0)
		return error;
	*ret = TAKE_PTR(r);
	return 0;
}

int resolver_replace(struct resolver *r)
{
	r->fd = fd_close(r->fd);
	memcpy(r->loss, r->flight, sizeof(r->loss));
	r->lost = r->in_flight;
	r->in_flight = 0;
	return have_child(r);
}

bool resolver_lost(struct resolver *r, struct principal *ret)
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
	fork_server_close(&r->fork_server);
	free(r);
	return NULL;
}

bool resolver_has(const struct resolver *r, pid_t pid)
{
	return r && fork_server_has(&r->fork_server, pid);
}

int resolver_fd(const struct resolver *r)
{
	return r->fd;
}

bool resolver_has_room(const struct resolver *r)
{
	return r->in_flight < IN_FLIGHT_MAX;
}

int resolver_ask(struct resolver *r, const struct principal *principal)
{
	struct lookup_message m = {.principal = *principal};

	if (!resolver_has_room(r))
		return -EAGAIN;
	if (send(r->fd, &m, sizeof(m), MSG_NOSIGNAL | MSG_DONTWAIT) != sizeof(m))
		return errno == EAGAIN ? -EAGAIN : -EPIPE;
	r->flight[r->in_flight++] = *principal;
	return 0;
}

/* Whether M, of LEN bytes, is a valid answer to the oldest question. */
static bool is_answer(const struct resolver *r, const struct lookup_message *m, size_t len)
{
	return len == sizeof(*m) && r->in_flight && m->principal.kind == r->flight[0].kind &&
	       m->principal.id == r->flight[0].id &&
	       (m->result == LOOKUP_FOUND || m->result == LOOKUP_ABSENT ||
		       m->result == LOOKUP_FAILED) &&
	       memchr(m->name, 0, sizeof(m->name));
}

int resolver_answer(struct resolver *r, struct lookup_message *ret)
{
	struct lookup_message m;
	ssize_t n;

	do
		n = recv(r->fd, &m, sizeof(m), MSG_DONTWAIT | MSG_TRUNC);
	while (n < 0 && errno == EINTR);
	if (n < 0 && errno == EAGAIN)
		return -EAGAIN;
	if (n <= 0)
		return -EPIPE;
	if (!is_answer(r, &m, (size_t)n)) {
		/* If the order fails, the child is replaced later all the same. */
		(void)fork_server_end(&r->fork_server);
		return -EPROTO;
	}
	r->in_flight--;
	memmove(r->flight, r->flight + 1, r->in_flight * sizeof(*r->flight));
	*ret = m;
	return 0;
}
