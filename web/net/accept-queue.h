/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Accept Queue
 *
 * A listening socket, and one epoll descriptor for it and for libmicrohttpd's epoll descriptor.
 * When many clients connect and leave at once, most of them have left before they are accepted.
 * Their connections are closed here, for a fifth of the cost of making a connection of
 * libmicrohttpd, so that the other clients wait less.
 */
#ifndef MEMTALLY_WEB_NET_ACCEPT_QUEUE_H
#define MEMTALLY_WEB_NET_ACCEPT_QUEUE_H

#include <stdint.h>
#include <sys/socket.h>

struct accept_queue {
	int listen_fd; /* borrowed; -1: after accept_queue_leave() */
	/*
	 * owned; readable if libmicrohttpd has work or, unless accepting is suspended, a client
	 * waits
	 */
	int epoll_fd;
	/*
	 * Monotonic ns: accepting failed, and is suspended until then: the socket is not polled. 0:
	 * until the next accept_queue_accept(). UINT64_MAX: it is polled.
	 */
	uint64_t retry_ns;
};

/*
 * Begins Q for the listening socket LISTEN_FD and the epoll descriptor INNER_FD. Both stay borrowed
 * until accept_queue_close(). Returns 0, or a negative errno of epoll_create1() or epoll_ctl(), and
 * then Q is unchanged.
 */
int accept_queue_open(struct accept_queue *q, int listen_fd, int inner_fd);

/* Closes the epoll descriptor. Does not close the listening socket. */
void accept_queue_close(struct accept_queue *q);

/*
 * Accepts the client that has waited longest and has not left, at NOW_NS (CLOCK_MONOTONIC). Writes
 * its address to *RET_ADDRESS and *RET_LEN. Returns a non-blocking descriptor, which the caller
 * owns.
 *
 * Returns -EAGAIN if no client waits, after accept_queue_leave(), while accepting is suspended, or
 * after 256 clients that have left. Returns another negative errno if accept4() fails (-EMFILE,
 * -ENFILE, -ENOMEM ...): accepting is then suspended for 100 ms, until accept_queue_due_ns(), since
 * the socket would be readable all the time. The first call after that polls the socket again.
 */
int accept_queue_accept(struct accept_queue *q, uint64_t now_ns,
	struct sockaddr_storage *ret_address, socklen_t *ret_len);

/*
 * A descriptor has become free: if accepting is suspended, makes accept_queue_due_ns() 0. The
 * socket is polled again only by accept_queue_accept(), which the caller calls next. Does nothing
 * otherwise.
 */
void accept_queue_retry(struct accept_queue *q);

/*
 * Stops accepting for good. Clients that connect later wait at the socket until another process
 * accepts them.
 */
void accept_queue_leave(struct accept_queue *q);

/*
 * Returns when accept_queue_accept() is due without an event, in monotonic nanoseconds; 0: now;
 * UINT64_MAX: never, since accepting is not suspended.
 */
uint64_t accept_queue_due_ns(const struct accept_queue *q);

#endif
