/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Connections of the snapshot socket
 *
 * The receiving side of every connection is shut down at once: what a client writes fails at the
 * client (EPIPE), so neither bytes nor descriptors queue up here. The end of a client shows as
 * EPOLLHUP, which needs no reading.
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

#include "base/clock.h"
#include "base/log.h"
#include "base/os/channel.h"
#include "base/os/memfd.h"
#include "service/leases.h"

/*
 * A copy of the image without processes for one stranger's uid, so that it is known which uid keeps
 * it.
 */
struct copy {
	int fd; /* -1: a free place */
	int64_t owner;
};

/*
 * Copies of one pass. The first is the original, which is handed out, too. The others are closed in
 * turn to make room for strangers that connect later in the pass; a uid that lost its copy so gets
 * another one if it connects again.
 */
enum { COPIES = PUBLISHER_STRANGERS_MAX };

struct client {
	struct publisher *publisher;
	int fd; /* -1: a free place */
	struct channel_peer peer;
	bool is_stranger;
	/*
	 * The publisher's .served when the client first got an image, or was refused one; 0: not
	 * yet
	 */
	uint64_t served;
	sd_event_source *source;
};

struct publisher {
	sd_event *event; /* borrowed */
	sd_event_source *source;
	int listen_fd;
	char *path; /* of the socket file; NULL: the socket is the service manager's */
	int fd;
	bool is_leased; /* .fd counts as held by privileged clients */
	struct copy copy[COPIES];
	unsigned int copies; /* made of this pass's original */
	struct leases leases;
	struct access_list privileged;
	const struct resolver *resolver; /* borrowed; NULL: there is none */
	struct client client[PUBLISHER_CLIENTS_MAX];
	uint64_t served;                        /* clients */
	struct log_limit refusals, withheld[2]; /* index: is_stranger */
};

static void client_close(struct client *c)
{
	c->source = sd_event_source_disable_unref(c->source);
	c->fd = fd_close(c->fd);
}

enum publisher_place publisher_place(bool is_stranger, const struct publisher_groups *groups)
{
	if (is_stranger && groups->of_user >= PUBLISHER_STRANGERS_UID)
		return PUBLISHER_PLACE_OWN;
	if (groups->all >= PUBLISHER_CLIENTS_MAX ||
		(is_stranger && groups->strangers >= PUBLISHER_STRANGERS_MAX))
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
 * Messages that a client has not read stay in flight after it was disconnected. The kernel limits
 * descriptors in flight of a user without rights by RLIMIT_NOFILE (Linux 4.5; ETOOMANYREFS).
 * Strangers, which may connect as often as they like, may use half of that, so that they cannot
 * take the other half from privileged clients.
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

/* A single user at its limit is not logged, just as a client that does not read. */
static void say_withheld(struct publisher *p, int64_t owner, int reason)
{
	bool is_stranger = owner != LEASES_PRIVILEGED;
	struct leases_sum sum;
	uint64_t suppressed;

	if (reason == LEASES_USER_FULL || !log_limit_pass(&p->withheld[is_stranger],
						  clock_now_ns(CLOCK_MONOTONIC), &suppressed))
		return;
	leases_sum(&p->leases, owner, &sum);
	if (reason < 0)
		log_warning(
			"%s get no snapshot, since inotify cannot track which clients keep it: %s",
			is_stranger ? "strangers" : "privileged clients except root",
			strerror(-reason));
	else
		log_warning("%s get no new snapshot: %u of %llu KiB in all are still held",
			is_stranger ? "strangers" : "privileged clients except root", sum.count,
			(unsigned long long)(sum.bytes / 1024));
}

/*
 * Returns the whole image for a privileged client (the publisher's descriptor); -1: not now. Root
 * has no limit.
 */
static int whole_for(struct publisher *p, uid_t uid)
{
	int r;

	if (p->is_leased || uid == 0)
		return p->fd;
	r = leases_add(&p->leases, LEASES_PRIVILEGED, p->fd);
	p->is_leased = r == 0;
	if (r != 0)
		say_withheld(p, LEASES_PRIVILEGED, r);
	/* A process of memtallyd's own uid could kill memtallyd anyway: no lease is needed. */
	return r == 0 || (r < 0 && uid == p->privileged.own) ? p->fd : -1;
}

static struct copy *copy_of(struct publisher *p, int64_t owner)
{
	for (struct copy *copy = p->copy; copy < p->copy + COPIES; copy++)
		if (copy->fd >= 0 && copy->owner == owner)
			return copy;
	return NULL;
}

static int copy_make(struct publisher *p, int64_t owner, struct copy **ret)
{
	struct copy *copy = &p->copy[1 + p->copies % (COPIES - 1)];
	AUTO_CLOSE int fd = -1;
	int r = memfd_copy_sealed("memtally-snapshot", p->copy[0].fd, &fd);

	if (r == 0)
		r = leases_add(&p->leases, owner, fd);
	if (r != 0)
		return r;
	p->copies++;
	fd_close(copy->fd);
	*copy = (struct copy){.fd = TAKE_FD(fd), .owner = owner};
	*ret = copy;
	return 0;
}

static int copy_lend(struct publisher *p, uid_t uid, struct copy **ret)
{
	int64_t owner = leases_is_crowded(&p->leases) ? LEASES_TOGETHER : uid;
	int r = leases_judge(&p->leases, uid, p->copy[0].fd);

	*ret = copy_of(p, owner);
	if (*ret && r == LEASES_FULL)
		return 0; /* it takes no more memory */
	if (*ret || r != 0)
		return r;
	if (p->copy[0].owner != LEASES_PRIVILEGED)
		return copy_make(p, owner, ret);
	r = leases_add(&p->leases, owner, p->copy[0].fd);
	if (r == 0)
		p->copy[0].owner = owner;
	*ret = p->copy;
	return r;
}

/* Returns the image without processes for UID (the publisher's descriptor); -1: not now. */
static int sums_for(struct publisher *p, uid_t uid)
{
	struct copy *copy = copy_of(p, uid);
	int r = copy ? 0 : copy_lend(p, uid, &copy);

	if (r != 0)
		say_withheld(p, uid, r);
	return r == 0 ? copy->fd : -1;
}

static void client_send(struct client *c)
{
	struct publisher *p = c->publisher;
	int fd, r;

	c->is_stranger = !access_list_has(&p->privileged, c->fd, &c->peer);
	if (p->fd < 0)
		return;
	if (c->is_stranger && p->copy[0].fd < 0) {
		/* Strangers get nothing: the client need not wait, and takes no place */
		client_close(c);
		return;
	}
	if (!channel_is_drained(c->fd))
		return;
	if (!c->served)
		c->served = ++p->served;
	fd = c->is_stranger ? sums_for(p, c->peer.uid) : whole_for(p, c->peer.uid);
	if (fd < 0)
		return;
	r = c->is_stranger ? send_to_stranger(c->fd, fd) : channel_send_fd(c->fd, fd);
	if (r == -ETOOMANYREFS)
		say_refused(p, r);
	if (r < 0 && r != -EAGAIN)
		client_close(c);
}

/* With an empty event mask epoll still reports EPOLLHUP and EPOLLERR: the client is gone. */
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

/* Clients that have closed take no place, even if the loop has not handled their end yet. */
static void count_clients(struct publisher *p, uid_t uid, struct publisher_groups *ret)
{
	*ret = (struct publisher_groups){0};
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
 * Returns the stranger that has been served longest, of all strangers, or of those with *UID that
 * have read what they got: a user that does not read must not get more by connecting again. NULL:
 * there is none.
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

/* Disconnects a stranger if a new client needs its place. Returns false if there is no place. */
static bool publisher_make_room(struct publisher *p, bool is_stranger, uid_t uid)
{
	struct client *leaver = NULL;
	struct publisher_groups groups;

	count_clients(p, uid, &groups);
	switch (publisher_place(is_stranger, &groups)) {
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

	if (r == 0 && peer.uid == p->privileged.own && resolver_has(p->resolver, peer.pid))
		r = -EACCES;
	if (r == 0 && shutdown(fd, SHUT_RD) < 0)
		r = -errno;
	if (r == 0)
		r = publisher_make_room(p, !access_list_has(&p->privileged, fd, &peer), peer.uid)
		            ? add_client(p, TAKE_FD(owned), &peer)
		            : -EUSERS;
	if (r < 0)
		say_refused(p, r);
}

/*
 * Without a free descriptor the socket stays readable, and the loop would spin: the source is
 * disabled until the next snapshot.
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
 * Gives the socket that the service manager passed, as non-blocking: accept4() must not block.
 * Returns 0, with *RET_FD -1 if it passed none; -EINVAL if it passed others.
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

static int publisher_open_socket(struct publisher *p, const char *path)
{
	int r = inherited_socket(&p->listen_fd);

	if (r < 0 || p->listen_fd >= 0)
		return r;
	p->path = strdup(path);
	if (!p->path)
		return -ENOMEM;
	/* Any user may connect; the credentials decide which image the client gets. */
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
		.refusals = {.interval_ns = 60 * NS_PER_SEC},
		.withheld = {{.interval_ns = 60 * NS_PER_SEC}, {.interval_ns = 60 * NS_PER_SEC}},
	};
	access_list_init(&p->privileged);
	leases_init(&p->leases);
	for (size_t i = 0; i < COPIES; i++)
		p->copy[i].fd = -1;
	for (size_t i = 0; i < PUBLISHER_CLIENTS_MAX; i++)
		p->client[i].fd = -1;
	r = publisher_open_socket(p, path);
	if (r == 0)
		r = sd_event_add_io(event, &p->source, p->listen_fd, EPOLLIN, on_connect, p);
	if (r < 0)
		return r;
	log_info("listening on %s", p->path ? p->path : "the socket that systemd has passed");
	*ret = TAKE_PTR(p);
	return 0;
}

/* Clients keep the images that they have. */
static void close_copies(struct publisher *p)
{
	for (size_t i = 0; i < COPIES; i++)
		p->copy[i].fd = fd_close(p->copy[i].fd);
	p->copies = 0;
}

static void close_images(struct publisher *p)
{
	p->fd = fd_close(p->fd);
	p->is_leased = false;
	close_copies(p);
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
	close_images(p);
	leases_done(&p->leases);
	free(p->path);
	free(p);
	return NULL;
}

void publisher_set_resolver(struct publisher *p, const struct resolver *r)
{
	p->resolver = r;
}

void publisher_set_privileged(struct publisher *p, const struct access_list *privileged)
{
	p->privileged = *privileged;
}

void publisher_withdraw(struct publisher *p)
{
	close_copies(p);
	for (struct client *c = p->client; c < p->client + PUBLISHER_CLIENTS_MAX; c++)
		if (c->fd >= 0 && c->is_stranger)
			client_close(c);
}

void publisher_publish(struct publisher *p, int fd, int public_fd)
{
	close_images(p);
	p->fd = fd;
	p->copy[0] = (struct copy){.fd = public_fd, .owner = LEASES_PRIVILEGED};
	for (size_t i = 0; i < PUBLISHER_CLIENTS_MAX; i++)
		if (p->client[i].fd >= 0)
			client_send(&p->client[i]);
	sd_event_source_set_enabled(p->source, SD_EVENT_ON);
}
