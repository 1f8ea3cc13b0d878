/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "tests/unit/support/web/recorder-socket.h"

#include "tests/unit/support/unit.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/os/channel.h"

void recorder_socket_init(struct recorder_socket *s)
{
	*s = (struct recorder_socket){.listener = -1, .server = -1};
	snprintf(s->dir, sizeof(s->dir), "/tmp/memtally-recorder-XXXXXX");
	assert_non_null(mkdtemp(s->dir));
	snprintf(s->path, sizeof(s->path), "%s/socket", s->dir);
}

void recorder_socket_listen(struct recorder_socket *s)
{
	assert_int_equal(channel_listen(s->path, SOCK_SEQPACKET, 0600, 8, &s->listener), 0);
}

void recorder_socket_done(struct recorder_socket *s)
{
	s->listener = fd_close(s->listener);
	s->server = fd_close(s->server);
	unlink(s->path);
	rmdir(s->dir);
}

static bool recorder_socket_is_ready(int fd, short events)
{
	struct pollfd p = {.fd = fd, .events = POLLIN};

	return fd >= 0 && poll(&p, 1, 0) == 1 && p.revents & events;
}

bool recorder_socket_is_asked(const struct recorder_socket *s)
{
	return recorder_socket_is_ready(s->listener, POLLIN);
}

struct past_request recorder_socket_receive(struct recorder_socket *s)
{
	unsigned char text[PAST_REQUEST_SIZE];
	struct past_request r;

	if (s->server < 0 || recorder_socket_is_ready(s->server, POLLHUP)) {
		fd_close(s->server);
		s->server = accept(s->listener, NULL, NULL);
		assert_true(s->server >= 0);
	}
	assert_int_equal(recv(s->server, text, sizeof(text), 0), sizeof(text));
	assert_int_equal(past_request_parse(text, sizeof(text), &r), 0);
	return r;
}

void recorder_socket_answer(struct recorder_socket *s, const struct past_head *head,
	const struct past_point *points, const struct sample_options *sample)
{
	AUTO_CLOSE int image = CHANNEL_NO_FD;
	AUTO_BUFFER struct buffer b = {0};

	if (head->at_ns)
		assert_int_equal(sample_seal(sample, &image), 0);
	past_answer_write(head, points, &b);
	assert_int_equal(b.error, 0);
	assert_int_equal(channel_send(s->server, b.data, b.len, image), 0);
}
