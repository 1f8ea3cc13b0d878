/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "web/net/accept-queue.h"

#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"

#define SHORTAGE_NS (100 * NS_PER_MSEC)

static int accept_queue_watch(int epoll_fd, int fd)
{
	struct epoll_event event = {.events = EPOLLIN};

	return epoll_ctl(epoll_fd, EPOLL_CTL_ADD, fd, &event) < 0 ? -errno : 0;
}

int accept_queue_open(struct accept_queue *q, int listen_fd, int inner_fd)
{
	AUTO_CLOSE int fd = epoll_create1(EPOLL_CLOEXEC);
	int r;

	if (fd < 0)
		return -errno;
	r = accept_queue_watch(fd, listen_fd);
	if (r == 0)
		r = accept_queue_watch(fd, inner_fd);
	if (r < 0)
		return r;
	*q = (struct accept_queue){
		.listen_fd = listen_fd, .epoll_fd = TAKE_FD(fd), .retry_ns = UINT64_MAX};
	return 0;
}

void accept_queue_close(struct accept_queue *q)
{
	q->epoll_fd = fd_close(q->epoll_fd);
}

void accept_queue_leave(struct accept_queue *q)
{
	if (q->listen_fd >= 0 && q->retry_ns == UINT64_MAX)
		(void)epoll_ctl(q->epoll_fd, EPOLL_CTL_DEL, q->listen_fd, NULL);
	q->listen_fd = -1;
	q->retry_ns = UINT64_MAX;
}

static void leave_alone(struct accept_queue *q, uint64_t now_ns)
{
	if (q->retry_ns == UINT64_MAX)
		(void)epoll_ctl(q->epoll_fd, EPOLL_CTL_DEL, q->listen_fd, NULL);
	q->retry_ns = now_ns + SHORTAGE_NS;
}

static void take_up(struct accept_queue *q, uint64_t now_ns)
{
	if (q->retry_ns == UINT64_MAX)
		return;
	if (accept_queue_watch(q->epoll_fd, q->listen_fd) == 0)
		q->retry_ns = UINT64_MAX;
	else
		q->retry_ns = now_ns + SHORTAGE_NS;
}

/*
 * Returns true if the client of FD has left: it has closed its side without sending anything, or
 * has reset the connection. A client that has sent a request and shut down its sending side still
 * gets an answer.
 */
static bool has_left(int fd)
{
	struct pollfd end = {.fd = fd, .events = POLLRDHUP};
	char byte;

	if (poll(&end, 1, 0) <= 0)
		return false;
	return end.revents & (POLLERR | POLLHUP) ||
	       recv(fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) <= 0;
}

/*
 * Returns true if ERROR of accept4() is an error of the waiting connection (accept(2)), not of this
 * process.
 */
static bool is_of_client(int error)
{
	switch (error) {
	case EINTR:
	case ECONNABORTED:
	case EPROTO:
	case ENETDOWN:
	case ENOPROTOOPT:
	case EHOSTDOWN:
	case ENONET:
	case EHOSTUNREACH:
	case ENETUNREACH: return true;
	default: return false;
	}
}

int accept_queue_accept(struct accept_queue *q, uint64_t now_ns,
	struct sockaddr_storage *ret_address, socklen_t *ret_len)
{
	enum { ATTEMPTS = 256 };

	if (q->listen_fd < 0 || (q->retry_ns != UINT64_MAX && now_ns < q->retry_ns))
		return -EAGAIN;
	for (int i = 0; i < ATTEMPTS; i++) {
		struct sockaddr_storage address;
		socklen_t len = sizeof(address);
		int fd = accept4(q->listen_fd, (struct sockaddr *)&address, &len,
			SOCK_CLOEXEC | SOCK_NONBLOCK);

		if (fd < 0 && is_of_client(errno))
			continue;
		if (fd < 0 && errno != EAGAIN) {
			int error = errno;

			leave_alone(q, now_ns);
			return -error;
		}
		if (fd < 0) {
			take_up(q, now_ns);
			return -EAGAIN;
		}
		if (has_left(fd)) {
			close(fd);
			continue;
		}
		take_up(q, now_ns);
		*ret_address = address;
		*ret_len = len;
		return fd;
	}
	take_up(q, now_ns); /* leave the rest for the next round */
	return -EAGAIN;
}

void accept_queue_retry(struct accept_queue *q)
{
	if (q->retry_ns != UINT64_MAX)
		q->retry_ns = 0;
}

uint64_t accept_queue_due_ns(const struct accept_queue *q)
{
	return q->retry_ns;
}
