/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "snapshot/client.h"

#include <errno.h>
#include <poll.h>
#include <string.h>

#include "base/clock.h"
#include "base/os/channel.h"

int client_receive(int fd, struct view **ret, const char **ret_reason)
{
	AUTO_CLOSE int newest = -1;
	int r;

	for (;;) {
		int received;

		r = channel_receive_fd(fd, &received);
		if (r != 0)
			break;
		fd_close(newest);
		newest = received;
	}
	if (r == -EPROTO) {
		*ret_reason = "not a message of memtallyd's";
		return -ENOMSG;
	}
	if (r < 0) {
		*ret_reason = strerror(-r);
		return r;
	}
	if (newest < 0)
		return r == CHANNEL_CLOSED ? CLIENT_CLOSED : CLIENT_NOTHING;
	return view_open(newest, ret, ret_reason);
}

int client_fetch(const char *path, int timeout_ms, struct view **ret, const char **ret_reason)
{
	uint64_t end = clock_now_ns(CLOCK_MONOTONIC) + (uint64_t)timeout_ms * NS_PER_MSEC;
	AUTO_CLOSE int fd = -1;
	int r = channel_connect(path, &fd);

	if (r < 0) {
		*ret_reason = strerror(-r);
		return r;
	}
	for (;;) {
		struct pollfd p = {.fd = fd, .events = POLLIN};
		uint64_t now;

		r = client_receive(fd, ret, ret_reason);
		if (r <= 0)
			return r;
		if (r == CLIENT_CLOSED) {
			*ret_reason =
				"memtallyd closed the connection: it has exited, or snapshot.public "
				"denies snapshots to this user";
			return -ECONNRESET;
		}
		now = clock_now_ns(CLOCK_MONOTONIC);
		if (now >= end) {
			*ret_reason = "no snapshot came in time";
			return -ETIMEDOUT;
		}
		if (poll(&p, 1, (int)((end - now) / NS_PER_MSEC) + 1) < 0 && errno != EINTR) {
			*ret_reason = strerror(errno);
			return -errno;
		}
	}
}
