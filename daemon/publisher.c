/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The receiving side of every connection is shut down at once: what a client writes fails at the
 * client (EPIPE), so neither bytes nor descriptors pile up here. Its end shows as EPOLLHUP, which needs
 * no reading.
 */
#include "config.h"

#include "daemon/publisher.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <systemd/sd-daemon.h>
#include <unistd.h>

#include "base/channel.h"
#include "base/clock.h"
#include "base/log.h"

struct client {
	struct publisher *publisher;
	int fd; /* -1: a free place */
	struct channel_peer peer;
	bool is_stranger;
	uint64_t
		served; /* .served of the publisher as he got his first image; 0: he has none yet */
	sd_event_source *source;
};

struct publisher {
	sd_event *event; /* borrowed */
	sd_event_source *source;
	int listen_fd;
	char *path; /* of the file that it made; NULL: the socket is the service manager's */
	int fd, public_fd;
	struct privileged privileged;
	struct client client[PUBLISHER_CLIENTS_MAX];
	uint64_t served; /* clients */
	struct log_limit refusals;
};

static void client_close(struct client *c)
{
	c->source = sd_event_source_disable_unref(c->source);
	c->fd = fd_close(c->fd);
}

enum publisher_place publisher_place(bool is_stranger, const struct publisher_crowd *crowd)
{
	if (is_stranger && crowd->of_user >= PUBLISHER_STRANGERS_UID)
		return PUBLISHER_PLACE_OWN;
	if (crowd->all >= PUBLISHER_CLIENTS_MAX ||
		(is_stranger && crowd->strangers >= PUBLISHER_STRANGERS_MAX))
		return PUBLISHER_PLACE_STRANGERS;
	return PUBLISHER_PLACE_FREE;
}

bool publisher_shows_sums(enum snapshot_public option, bool is_hidden)
{
	return option == SNAPSHOT_PUBLIC_AUTO ? !is_hidden : option == SNAPSHOT_PUBLIC_AGGREGATES;
}

static void say_refused(struct publisher *p, int error)
{
	uint64_t suppressed;

	if (log_limit_pass(&p->refusals, clock_now_ns(CLOCK_MONOTONIC), &suppressed))
		log_warning("refused a client of the snapshot socket: %s (and %llu before)",
			strerror(-error), (unsigned long long)suppressed);
}

/*
 * What somebody has not read is still on its way when he has been let go, and of that a user without rights may have as
 * much as he may have descriptors (Linux 4.5; ETOOMANYREFS). Strangers, who may come as often as they like, have half of it,
 * so that nobody else has to do without for their sake.
 */
static int send_to_stranger(int socket, int fd)
{
	struct rlimit limit, half;
	int r;

	if (getrlimit(RLIMIT_NOFILE, &limit) < 0)
		return -errno;
	half = (struct rlimit){.rlim_cur = limit.rlim_cur / 2, .rlim_max = limit.rlim_max};
	if (setrlimit(RLIMIT_NOFILE, &half) < 0)
		return -errno;
	r = channel_send_fd(socket, fd);
	if (setrlimit(RLIMIT_NOFILE, &limit) < 0)
		return -errno;
	return r;
}

static void client_send(struct client *c)
{
	struct publisher *p = c->publisher;
	int fd, r;

	c->is_stranger = !privileged_has(&p->privileged, c->fd, &c->peer);
	fd = c->is_stranger ? p->public_fd : p->fd;
	if (fd < 0 && p->fd >= 0) /* who is to get nothing need not wait for it, nor take a place */
		client_close(c);
	if (fd < 0 || !channel_is_drained(c->fd))
		return;
	r = c->is_stranger ? send_to_stranger(c->fd, fd) : channel_send_fd(c->fd, fd);
	if (r == 0 && !c->served)
		c->served = ++p->served;
	if (r == -ETOOMANYREFS)
		say_refused(p, r);
	if (r < 0 && r != -EAGAIN)
		client_close(c);
}

/* Asked for nothing, epoll still tells EPOLLHUP and EPOLLERR: the client is gone. */
static int on_client(sd_event_source *source, int fd, uint32_t events, void *userdata)
{
	(void)source, (void)fd, (void)events;
	client_close(userdata);
	return 0;
}

static bool is_closed(int fd)
{
	struct pollfd end = {.fd = fd};

	return poll(&end, 1, 0) > 0;
}

/* Those who have left take no place, whether their end has come up in the loop yet or not. */
static void count_clients(struct publisher *p, uid_t uid, struct publisher_crowd *ret)
{
	*ret = (struct publisher_crowd){0};
	for (struct client *c = p->client; c < p->client + PUBLISHER_CLIENTS_MAX; c++) {
		if (c->fd >= 0 && is_closed(c->fd))
			client_close(c);
		if (c->fd < 0)
			continue;
		ret->all++;
		ret->strangers += c->is_stranger;
		ret->of_user += c->is_stranger && c->peer.uid == uid;
	}
}

/*
 * Of all strangers who has been served longest; or of those with UID who have read what they got: whoever does not read is to get
 * no more by coming again. NULL: there is none.
 */
static struct client *served_longest(struct publisher *p, const uid_t *uid)
{
	struct client *longest = NULL;

	for (struct client *c = p->client; c < p->client + PUBLISHER_CLIENTS_MAX; c++) {
		if (c->fd < 0 || !c->is_stranger || !c->served)
			continue;
		if (uid && (c->peer.uid != *uid || !channel_is_drained(c->fd)))
			continue;
		if (!longest || c->served < longest->served)
			longest = c;
	}
	return longest;
}

/* False: there is none. */
static bool make_room(struct publisher *p, bool is_stranger, uid_t uid)
{
	struct client *leaver = NULL;
	struct publisher_crowd crowd;

	count_clients(p, uid, &crowd);
	switch (publisher_place(is_stranger, &crowd)) {
	case PUBLISHER_PLACE_FREE: return true;
	case PUBLISHER_PLACE_OWN: leaver = served_longest(p, &uid); break;
	case PUBLISHER_PLACE_STRANGERS: leaver = served_longest(p, NULL); break;
	}
	if (leaver)
		client_close(leaver);
	return leaver;
}

/* Consumes FD. */
static int add_client(struct publisher *p, int fd, const struct channel_peer *peer)
{
	AUTO_CLOSE int owned = fd;
	struct client *c = p->client;
	int r;

	while (c->fd >= 0)
		c++;
	r = sd_event_add_io(p->event, &c->source, fd, 0, on_client, c);
	if (r < 0)
		return r;
	c->publisher = p;
	c->peer = *peer;
	c->served = 0;
	c->fd = TAKE_FD(owned);
	client_send(c);
	return 0;
}

static void accept_client(struct publisher *p, int fd)
{
	AUTO_CLOSE int owned = fd;
	struct channel_peer peer;
	int r = channel_peer(fd, &peer);

	if (r == 0 && shutdown(fd, SHUT_RD) < 0)
		r = -errno;
	if (r == 0)
		r = make_room(p, !privileged_has(&p->privileged, fd, &peer), peer.uid)
		            ? add_client(p, TAKE_FD(owned), &peer)
		            : -EUSERS;
	if (r < 0)
		say_refused(p, r);
}

/*
 * Without a free descriptor the socket stays readable, and the loop would spin: it is left alone until the
 * next snapshot.
 */
static int on_connect(sd_event_source *source, int fd, uint32_t events, void *userdata)
{
	(void)events;
	for (size_t i = 0; i < PUBLISHER_CLIENTS_MAX; i++) {
		int client = accept4(fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

		if (client < 0 && (errno == EINTR || errno == ECONNABORTED))
			continue;
		if (client < 0)
			return errno == EAGAIN ? 0
			                       : sd_event_source_set_enabled(source, SD_EVENT_OFF);
		accept_client(userdata, client);
	}
	return 0;
}

/*
 * The socket that the service manager passed: 0 with *ret_fd -1 where it passed none, -EINVAL where it
 * passed others. It may be blocking, which accept4() must not.
 */
static int inherited_socket(int *ret_fd)
{
	int n = sd_listen_fds(1);

	*ret_fd = -1;
	if (n <= 0)
		return n;
	if (n != 1 || sd_is_socket_unix(SD_LISTEN_FDS_START, SOCK_SEQPACKET, 1, NULL, 0) <= 0)
		return -EINVAL;
	if (fcntl(SD_LISTEN_FDS_START, F_SETFL, O_NONBLOCK) < 0)
		return -errno;
	*ret_fd = SD_LISTEN_FDS_START;
	return 0;
}

static int open_socket(struct publisher *p, const char *path)
{
	int r = inherited_socket(&p->listen_fd);

	if (r < 0 || p->listen_fd >= 0)
		return r;
	p->path = strdup(path);
	if (!p->path)
		return -ENOMEM;
	/* Anybody may connect; what they get, their credentials decide. */
	return channel_listen(path, SOCK_SEQPACKET, 0666, PUBLISHER_CLIENTS_MAX, &p->listen_fd);
}

int publisher_open(sd_event *event, const char *path, struct publisher **ret)
{
	AUTO_PUBLISHER struct publisher *p = calloc(1, sizeof(*p));
	int r;

	if (!p)
		return -ENOMEM;
	*p = (struct publisher){
		.event = event,
		.listen_fd = -1,
		.fd = -1,
		.public_fd = -1,
		.refusals = {.interval_ns = 60 * NS_PER_SEC},
	};
	privileged_init(&p->privileged);
	for (size_t i = 0; i < PUBLISHER_CLIENTS_MAX; i++)
		p->client[i].fd = -1;
	r = open_socket(p, path);
	if (r == 0)
		r = sd_event_add_io(event, &p->source, p->listen_fd, EPOLLIN, on_connect, p);
	if (r < 0)
		return r;
	*ret = TAKE_PTR(p);
	return 0;
}

struct publisher *publisher_close(struct publisher *p)
{
	if (!p)
		return NULL;
	for (size_t i = 0; i < PUBLISHER_CLIENTS_MAX; i++)
		client_close(&p->client[i]);
	sd_event_source_disable_unref(p->source);
	if (p->path && p->listen_fd >= 0)
		unlink(p->path);
	fd_close(p->listen_fd);
	fd_close(p->fd);
	fd_close(p->public_fd);
	free(p->path);
	free(p);
	return NULL;
}

void publisher_set_privileged(struct publisher *p, const struct privileged *privileged)
{
	p->privileged = *privileged;
}

void publisher_publish(struct publisher *p, int fd, int public_fd)
{
	fd_close(p->fd);
	fd_close(p->public_fd);
	p->fd = fd;
	p->public_fd = public_fd;
	for (size_t i = 0; i < PUBLISHER_CLIENTS_MAX; i++)
		if (p->client[i].fd >= 0)
			client_send(&p->client[i]);
	sd_event_source_set_enabled(p->source, SD_EVENT_ON);
}
