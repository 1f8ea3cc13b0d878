/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "tests/unit/support/snapshot/snapshot-socket.h"

#include <poll.h>
#include <sys/socket.h>

#include "base/cleanup.h"
#include "base/os/channel.h"

enum { MODE = 0666, BACKLOG = 16 };

int snapshot_socket_open(struct snapshot_socket *s, const char *path)
{
	*s = (struct snapshot_socket){.listener = -1, .image = -1, .send = channel_send_fd};
	return channel_listen(path, SOCK_SEQPACKET, MODE, BACKLOG, &s->listener);
}

void snapshot_socket_close(struct snapshot_socket *s)
{
	while (s->clients)
		fd_close(s->client[--s->clients].fd);
	s->listener = fd_close(s->listener);
	s->image = fd_close(s->image);
}

static void drop(struct snapshot_socket *s, size_t i)
{
	fd_close(s->client[i].fd);
	s->client[i] = s->client[--s->clients];
}

static void send_to(struct snapshot_socket *s, size_t i)
{
	if (s->image < 0 || s->client[i].has_image || !channel_is_drained(s->client[i].fd))
		return;
	if (s->send(s->client[i].fd, s->image) < 0)
		drop(s, i);
	else
		s->client[i].has_image = true;
}

static bool has_left(int client)
{
	struct pollfd p = {.fd = client};

	return poll(&p, 1, 0) > 0; /* only POLLHUP and POLLERR */
}

void snapshot_socket_serve(struct snapshot_socket *s)
{
	int fd;

	for (size_t i = s->clients; i-- > 0;)
		if (has_left(s->client[i].fd))
			drop(s, i);
	while ((fd = accept4(s->listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK)) >= 0) {
		s->accepted++;
		if (s->clients == SNAPSHOT_SOCKET_CLIENTS) {
			fd_close(fd);
			continue;
		}
		s->client[s->clients].fd = fd;
		s->client[s->clients++].has_image = false;
	}
	for (size_t i = s->clients; i-- > 0;)
		send_to(s, i);
}

void snapshot_socket_publish(struct snapshot_socket *s, int image)
{
	fd_close(s->image);
	s->image = image;
	for (size_t i = 0; i < s->clients; i++)
		s->client[i].has_image = false;
	snapshot_socket_serve(s);
}
