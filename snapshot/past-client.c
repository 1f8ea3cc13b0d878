/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "snapshot/past-client.h"

#include <errno.h>
#include <poll.h>
#include <string.h>

#include "base/clock.h"
#include "base/os/channel.h"

void past_answer_done(struct past_answer *a)
{
	a->view = view_unref(a->view);
	buffer_done(&a->bytes);
	*a = (struct past_answer){0};
}

int past_connect(const char *path, int *ret_fd)
{
	return channel_connect(path, ret_fd);
}

int past_send(int fd, const struct past_request *r)
{
	unsigned char text[PAST_REQUEST_SIZE];

	past_request_write(r, text);
	return channel_send(fd, text, sizeof(text), CHANNEL_NO_FD);
}

/* Reads the answer in A->bytes, which came with IMAGE. Returns as past_receive(). */
static int past_read(struct past_answer *a, int image, const char **ret_reason)
{
	int r = past_answer_parse(a->bytes.data, a->bytes.len, &a->head, &a->points);

	if (r == 0 && (image != CHANNEL_NO_FD) != (a->head.at_ns != 0))
		r = -EBADMSG;
	if (r < 0) {
		*ret_reason = r == -EPROTO ? "memtally-recorder has another version"
		                           : "not an answer of memtally-recorder's";
		return r;
	}
	return image == CHANNEL_NO_FD ? 0 : view_open(image, &a->view, ret_reason);
}

int past_receive(int fd, struct past_answer *ret, const char **ret_reason)
{
	AUTO_CLOSE int image = CHANNEL_NO_FD;
	char *to;
	int r;

	*ret = (struct past_answer){0};
	to = buffer_reserve(&ret->bytes, PAST_ANSWER_MAX);
	r = to ? channel_receive(fd, to, PAST_ANSWER_MAX, &ret->bytes.len, &image) : -ENOMEM;
	if (r == 0)
		return past_read(ret, image, ret_reason);
	past_answer_done(ret);
	if (r == CHANNEL_NOTHING)
		return 1;
	if (r == -EPROTO)
		r = -EBADMSG;
	*ret_reason = r == CHANNEL_CLOSED ? "memtally-recorder closed the connection"
	              : r == -EBADMSG     ? "not an answer of memtally-recorder's"
	                                  : strerror(-r);
	return r == CHANNEL_CLOSED ? -ECONNRESET : r;
}

int past_wait(int fd, int timeout_ms, struct past_answer *ret, const char **ret_reason)
{
	uint64_t end = clock_now_ns(CLOCK_MONOTONIC) + (uint64_t)timeout_ms * NS_PER_MSEC;
	int e;

	while ((e = past_receive(fd, ret, ret_reason)) == 1) {
		struct pollfd p = {.fd = fd, .events = POLLIN};
		uint64_t now = clock_now_ns(CLOCK_MONOTONIC);

		if (now >= end) {
			*ret_reason = "memtally-recorder did not answer in time";
			return -ETIMEDOUT;
		}
		if (poll(&p, 1, (int)((end - now) / NS_PER_MSEC) + 1) < 0 && errno != EINTR) {
			*ret_reason = strerror(errno);
			return -errno;
		}
	}
	return e;
}

int past_ask(int fd, const struct past_request *r, int timeout_ms, struct past_answer *ret,
	const char **ret_reason)
{
	int e = past_send(fd, r);

	*ret = (struct past_answer){0};
	if (e == 0)
		return past_wait(fd, timeout_ms, ret, ret_reason);
	*ret_reason = e == -EPIPE ? "memtally-recorder closed the connection" : strerror(-e);
	return e == -EPIPE ? -ECONNRESET : e;
}
