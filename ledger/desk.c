/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "ledger/desk.h"

#include <errno.h>
#include <sys/socket.h>

#include "base/cleanup.h"
#include "base/clock.h"

#define IDLE_NS     (10 * NS_PER_SEC)
#define SHORTAGE_NS (100 * NS_PER_MSEC)

enum {
	PAUSE_FACTOR = 3,
	LET_IN_MAX = 256, /* at once: a crowd of one user is let go as fast as it comes */
};

void desk_init(struct desk *d, int listen_fd, const struct reader_rules *rules)
{
	*d = (struct desk){.listen_fd = listen_fd, .rules = rules};
}

static void let_go(struct desk *d, size_t i)
{
	fd_close(d->client[i].fd);
	buffer_done(&d->client[i].answer);
	d->client[i] = d->client[--d->clients];
}

void desk_done(struct desk *d)
{
	while (d->clients)
		let_go(d, d->clients - 1);
	d->listen_fd = fd_close(d->listen_fd);
}

static bool is_answering(const struct desk_client *c)
{
	return c->sent < c->answer.len;
}

/* Whether C's next question may be read. */
static bool may_ask(const struct desk *d, const struct desk_client *c, uint64_t now_ns)
{
	return c->reader.sees_all || now_ns >= d->strangers_ns;
}

size_t desk_poll(const struct desk *d, uint64_t now_ns, struct pollfd to[static DESK_POLLS])
{
	to[0] = (struct pollfd){.fd = now_ns < d->retry_ns ? -1 : d->listen_fd, .events = POLLIN};
	for (size_t i = 0; i < d->clients; i++) {
		const struct desk_client *c = &d->client[i];

		to[i + 1] = (struct pollfd){.fd = c->fd};
		if (is_answering(c))
			to[i + 1].events = POLLOUT;
		else if (may_ask(d, c, now_ns))
			to[i + 1].events = POLLIN;
		else
			to[i + 1].fd = -1;
	}
	return d->clients + 1;
}

uint64_t desk_due_ns(const struct desk *d, uint64_t now_ns)
{
	uint64_t due = d->retry_ns ? d->retry_ns : UINT64_MAX;

	for (size_t i = 0; i < d->clients; i++) {
		const struct desk_client *c = &d->client[i];

		if (c->seen_ns + IDLE_NS < due)
			due = c->seen_ns + IDLE_NS;
		if (!is_answering(c) && !may_ask(d, c, now_ns) && d->strangers_ns < due)
			due = d->strangers_ns;
	}
	return due;
}

static size_t count_of(const struct desk *d, uid_t uid)
{
	size_t count = 0;

	for (size_t i = 0; i < d->clients; i++)
		count += d->client[i].uid == uid;
	return count;
}

/* Who has done nothing for longest makes room, of strangers if there is one. */
static void make_room(struct desk *d)
{
	size_t found = 0;

	for (size_t i = 1; i < d->clients; i++) {
		const struct desk_client *a = &d->client[i], *b = &d->client[found];

		if (a->reader.sees_all != b->reader.sees_all ? b->reader.sees_all
							     : a->seen_ns < b->seen_ns)
			found = i;
	}
	let_go(d, found);
}

static void admit(struct desk *d, int consumed_fd, uint64_t now_ns)
{
	AUTO_CLOSE int fd = consumed_fd;
	struct desk_client c = {.seen_ns = now_ns};

	if (reader_of(fd, d->rules, &c.reader, &c.uid) < 0)
		return;
	if (!c.reader.sees_all && count_of(d, c.uid) >= DESK_CLIENTS_EACH)
		return;
	if (d->clients == DESK_CLIENTS_MAX)
		make_room(d);
	c.fd = TAKE_FD(fd);
	d->client[d->clients++] = c;
}

static void let_in(struct desk *d, uint64_t now_ns)
{
	if (now_ns < d->retry_ns)
		return;
	d->retry_ns = 0;
	for (int i = 0; i < LET_IN_MAX; i++) {
		int fd = accept4(d->listen_fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

		if (fd >= 0) {
			admit(d, fd, now_ns);
			continue;
		}
		if (errno != EAGAIN && errno != EINTR && errno != ECONNABORTED)
			d->retry_ns = now_ns + SHORTAGE_NS;
		return;
	}
}

/* False: he is gone. */
static bool send_some(struct desk_client *c, uint64_t now_ns)
{
	while (is_answering(c)) {
		size_t len = c->answer.len - c->sent;
		ssize_t n;

		if (len > USAGE_MESSAGE_MAX)
			len = USAGE_MESSAGE_MAX;
		n = send(c->fd, c->answer.data + c->sent, len, MSG_DONTWAIT | MSG_NOSIGNAL);
		if (n < 0)
			return errno == EAGAIN || errno == EINTR;
		c->sent += (size_t)n;
		c->seen_ns = now_ns;
	}
	buffer_done(&c->answer);
	c->answer = (struct buffer){0};
	c->sent = 0;
	return !c->is_last;
}

/* False: he is gone. */
static bool serve(
	struct desk *d, struct desk_client *c, uint64_t now_ns, desk_answer *answer, void *context)
{
	unsigned char text[USAGE_REQUEST_SIZE + 1];
	struct usage_request request;
	uint64_t begin_ns;
	ssize_t n;
	int r;

	n = recv(c->fd, text, sizeof(text), MSG_DONTWAIT | MSG_TRUNC);
	if (n < 0)
		return errno == EAGAIN || errno == EINTR;
	if (n == 0)
		return false;
	begin_ns = clock_now_ns(CLOCK_MONOTONIC);
	r = (size_t)n > sizeof(text) ? -EBADMSG : usage_request_parse(text, (size_t)n, &request);
	c->is_last = r < 0;
	c->seen_ns = now_ns;
	answer(context, r < 0 ? NULL : &request, &c->reader, &c->answer);
	if (!c->reader.sees_all) {
		uint64_t end_ns = clock_now_ns(CLOCK_MONOTONIC);

		d->strangers_ns = end_ns + PAUSE_FACTOR * (end_ns - begin_ns);
	}
	return !c->answer.error && send_some(c, now_ns);
}

void desk_run(struct desk *d, uint64_t now_ns, desk_answer *answer, void *context)
{
	for (size_t i = d->clients; i-- > 0;) {
		struct desk_client *c = &d->client[i];
		bool stays = now_ns - c->seen_ns < IDLE_NS || now_ns < c->seen_ns;

		if (stays && is_answering(c))
			stays = send_some(c, now_ns);
		else if (stays && may_ask(d, c, now_ns))
			stays = serve(d, c, now_ns, answer, context);
		if (!stays)
			let_go(d, i);
	}
	let_in(d, now_ns);
}
