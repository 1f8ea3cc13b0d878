/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where connections come in: a listening socket, and one epoll descriptor for it and for what polls those that are in.
 * Of a crowd that comes and goes at once most have gone before it is their turn; those are let go here, for a fifth of
 * what it costs to make a connection of them, and whoever waits behind them waits as much less.
 */
#ifndef MEMTALLY_WEB_ENTRANCE_H
#define MEMTALLY_WEB_ENTRANCE_H

#include <stdint.h>
#include <sys/socket.h>

struct entrance {
	int listen_fd; /* borrowed; -1: it was left */
	int epoll_fd;  /* readable: somebody waits, or what is below wants to run */
	uint64_t
		retry_ns; /* there were no descriptors: left alone until then; UINT64_MAX: it is polled */
};

/* LISTEN_FD and INNER_FD, an epoll descriptor, are borrowed. -errno; then there is nothing to be done with E. */
int entrance_open(struct entrance *e, int listen_fd, int inner_fd);

void entrance_close(struct entrance *e);

/*
 * Who has waited longest and is still there, as a descriptor that does not block, with its address. -EAGAIN: nobody;
 * other errors: nobody can come in for now (-EMFILE, -ENFILE, -ENOMEM ...), and until entrance_due_ns() the socket is
 * left alone, for it would be readable all the time.
 */
int entrance_accept(struct entrance *e, uint64_t now_ns, struct sockaddr_storage *ret_address,
	socklen_t *ret_len);

/* Something has become free: it may be tried again at once. */
void entrance_retry(struct entrance *e);

/* Lets nobody in any more: who comes now waits at the socket for whoever serves there next. */
void entrance_leave(struct entrance *e);

/* When entrance_accept() is due without an event; UINT64_MAX: never. */
uint64_t entrance_due_ns(const struct entrance *e);

#endif
