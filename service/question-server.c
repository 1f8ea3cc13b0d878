/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "service/question-server.h"

#include <errno.h>
#include <sys/socket.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/os/channel.h"

#define IDLE_NS     (10 * NS_PER_SEC)
#define SHORTAGE_NS (100 * NS_PER_MSEC)

enum {
	PAUSE_FACTOR = 3,
	/* connections accepted in one run: those of one user beyond its limit are closed at once */
	ACCEPTED_MAX = 256,
};

void question_server_init(struct question_server *s, int listen_fd, const struct peer_rules *rules,
	const struct question_service *service, void *context)
{
	*s = (struct question_server){.listen_fd = listen_fd,
		.rules = rules,
		.service = service,
		.context = context,
		.web = (uid_t)-1};
}

/* Frees what C's answer owns. */
static void question_server_empty(const struct question_server *s, struct question_client *c)
{
	if (c->reply.job)
		s->service->drop(c->reply.job);
	fd_close(c->reply.fd);
	buffer_done(&c->reply.bytes);
	c->reply = (struct question_reply){.fd = CHANNEL_NO_FD};
	c->sent = 0;
}

static void question_server_disconnect(struct question_server *s, size_t i)
{
	question_server_empty(s, &s->client[i]);
	fd_close(s->client[i].fd);
	s->client[i] = s->client[--s->clients];
}

void question_server_done(struct question_server *s)
{
	while (s->clients)
		question_server_disconnect(s, s->clients - 1);
	s->listen_fd = fd_close(s->listen_fd);
}

/* Returns whether C's answer is not complete. */
static bool is_working(const struct question_client *c)
{
	return c->reply.job;
}

/* Returns whether C's answer is being sent. */
static bool is_answering(const struct question_client *c)
{
	return !is_working(c) && c->sent < c->reply.bytes.len;
}

/* Returns whether C's next question may be read, or its answer may go on, at NOW_NS. */
static bool may_ask(
	const struct question_server *s, const struct question_client *c, uint64_t now_ns)
{
	return c->is_trusted || now_ns >= s->strangers_ns;
}

size_t question_server_poll(const struct question_server *s, uint64_t now_ns,
	struct pollfd to[static QUESTION_SERVER_POLLS])
{
	to[0] = (struct pollfd){.fd = now_ns < s->retry_ns ? -1 : s->listen_fd, .events = POLLIN};
	for (size_t i = 0; i < s->clients; i++) {
		const struct question_client *c = &s->client[i];

		to[i + 1] = (struct pollfd){.fd = c->fd};
		if (is_answering(c))
			to[i + 1].events = POLLOUT;
		else if (!is_working(c) && may_ask(s, c, now_ns))
			to[i + 1].events = POLLIN;
		else
			to[i + 1].fd = -1;
	}
	return s->clients + 1;
}

/*
 * Returns since when it is C's turn to do something (CLOCK_MONOTONIC). In a pause strangers'
 * questions are not read.
 */
static uint64_t turn_begin_ns(const struct question_server *s, const struct question_client *c)
{
	bool pauses = !is_answering(c) && !c->is_trusted && s->strangers_ns > c->checked_ns;

	return pauses ? s->strangers_ns : c->checked_ns;
}

uint64_t question_server_due_ns(const struct question_server *s, uint64_t now_ns)
{
	uint64_t due = s->retry_ns ? s->retry_ns : UINT64_MAX;

	for (size_t i = 0; i < s->clients; i++) {
		const struct question_client *c = &s->client[i];
		uint64_t idle_ns = turn_begin_ns(s, c) + IDLE_NS - c->idle_ns;

		if (idle_ns < due && !is_working(c))
			due = idle_ns;
		if (is_working(c) && may_ask(s, c, now_ns))
			return now_ns;
		if (!is_answering(c) && !may_ask(s, c, now_ns) && s->strangers_ns < due)
			due = s->strangers_ns;
	}
	return due;
}

static size_t question_server_count_of(const struct question_server *s, uint32_t uid)
{
	size_t count = 0;

	for (size_t i = 0; i < s->clients; i++)
		count += s->client[i].uid == uid;
	return count;
}

/* Returns how many connections C's uid would have if COMING were accepted. */
static size_t question_server_places(const struct question_server *s,
	const struct question_client *c, const struct question_client *coming)
{
	return question_server_count_of(s, c->uid) + (c->uid == coming->uid);
}

/*
 * Returns whether A should be disconnected rather than B to make room for COMING, which may be A or
 * B. Waiting for a turn does not count as idle.
 */
static bool makes_room(const struct question_server *s, const struct question_client *a,
	const struct question_client *b, const struct question_client *coming)
{
	size_t a_places = question_server_places(s, a, coming),
	       b_places = question_server_places(s, b, coming);

	if (a->is_trusted != b->is_trusted)
		return b->is_trusted;
	if (!a->is_trusted && a_places != b_places)
		return a_places > b_places;
	if (a->idle_ns != b->idle_ns)
		return a->idle_ns > b->idle_ns;
	return a->waits_ns > b->waits_ns;
}

/* Disconnects a client if there are too many. Returns false if COMING is the one to disconnect. */
static bool question_server_make_room(
	struct question_server *s, const struct question_client *coming)
{
	const struct question_client *found = coming;

	if (s->clients < QUESTION_SERVER_CLIENTS_MAX)
		return true;
	for (size_t i = 0; i < s->clients; i++)
		if (makes_room(s, &s->client[i], found, coming))
			found = &s->client[i];
	if (found == coming)
		return false;
	question_server_disconnect(s, (size_t)(found - s->client));
	return true;
}

/*
 * Disconnects clients that have closed their connection. In a pause strangers' sockets are not
 * read, so this is not noticed elsewhere.
 */
static void question_server_sweep(struct question_server *s)
{
	struct pollfd p[QUESTION_SERVER_CLIENTS_MAX];

	for (size_t i = 0; i < s->clients; i++)
		p[i] = (struct pollfd){.fd = s->client[i].fd};
	if (poll(p, (nfds_t)s->clients, 0) <= 0)
		return;
	for (size_t i = s->clients; i-- > 0;)
		if (p[i].revents)
			question_server_disconnect(s, i);
}

static void question_server_admit(struct question_server *s, int consumed_fd, uint64_t now_ns)
{
	AUTO_CLOSE int fd = consumed_fd;
	struct question_client c = {
		.reply.fd = CHANNEL_NO_FD, .checked_ns = now_ns, .waits_ns = now_ns};
	enum peer_kind kind;

	if (peer_of(fd, s->rules, &kind, &c.uid) < 0)
		return;
	c.is_trusted = kind == PEER_TRUSTED;
	c.reader.sees_all = c.is_trusted || (kind == PEER_USER && c.uid == s->web);
	c.reader.uid = kind == PEER_STRANGER ? QUESTION_NO_UID : c.uid;
	if (s->clients == QUESTION_SERVER_CLIENTS_MAX ||
		question_server_count_of(s, c.uid) >= QUESTION_SERVER_CLIENTS_EACH)
		question_server_sweep(s);
	if (!c.is_trusted && question_server_count_of(s, c.uid) >= QUESTION_SERVER_CLIENTS_EACH)
		return;
	if (c.uid == s->last_uid && s->strangers_ns > now_ns)
		c.waits_ns = s->strangers_ns;
	if (!question_server_make_room(s, &c))
		return;
	c.fd = TAKE_FD(fd);
	s->client[s->clients++] = c;
}

static void question_server_accept(struct question_server *s, uint64_t now_ns)
{
	if (now_ns < s->retry_ns)
		return;
	s->retry_ns = 0;
	for (int i = 0; i < ACCEPTED_MAX; i++) {
		int fd = accept4(s->listen_fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

		if (fd >= 0) {
			question_server_admit(s, fd, now_ns);
			continue;
		}
		if (errno != EAGAIN && errno != EINTR && errno != ECONNABORTED)
			s->retry_ns = now_ns + SHORTAGE_NS;
		return;
	}
}

/* The result of a client's turn. */
enum turn {
	TURN_GONE, /* it has closed the connection, or is to be disconnected */
	TURN_IDLE, /* it did nothing */
	TURN_USED, /* it asked or read */
};

static enum turn send_some(const struct question_server *s, struct question_client *c)
{
	bool is_last = c->reply.is_last;
	enum turn turn = TURN_IDLE;

	while (is_answering(c)) {
		size_t len = c->reply.bytes.len - c->sent;
		int r;

		if (len > s->service->message_max)
			len = s->service->message_max;
		r = channel_send(c->fd, c->reply.bytes.data + c->sent, len, c->reply.fd);
		if (r < 0)
			return r == -EAGAIN || r == -EINTR ? turn : TURN_GONE;
		c->reply.fd = fd_close(c->reply.fd);
		c->sent += len;
		turn = TURN_USED;
	}
	question_server_empty(s, c);
	return is_last ? TURN_GONE : TURN_USED;
}

/* Adds the time until NOW_NS to C's idle time, if it was C's turn. */
static void add_idle(const struct question_server *s, struct question_client *c, uint64_t now_ns)
{
	uint64_t since_ns = turn_begin_ns(s, c);

	if (now_ns > since_ns)
		c->idle_ns += now_ns - since_ns;
}

/*
 * Adds idle time until NOW_NS to the strangers that could have asked and have not. Skips those that
 * have: their question is read later.
 */
static void find_idle(struct question_server *s, uint64_t now_ns)
{
	struct pollfd p[QUESTION_SERVER_CLIENTS_MAX];

	for (size_t i = 0; i < s->clients; i++) {
		const struct question_client *c = &s->client[i];
		bool may_be = !c->is_trusted && !is_answering(c) && !is_working(c);

		p[i] = (struct pollfd){.fd = may_be ? c->fd : -1, .events = POLLIN};
	}
	if (poll(p, (nfds_t)s->clients, 0) < 0)
		return;
	for (size_t i = 0; i < s->clients; i++) {
		if (p[i].fd < 0 || p[i].revents)
			continue;
		add_idle(s, &s->client[i], now_ns);
		if (now_ns > s->client[i].checked_ns)
			s->client[i].checked_ns = now_ns;
	}
}

/*
 * Begins the pause after an answer to a stranger of UID, which took from BEGIN_NS until now. Adds
 * up idle time first: after the pause only time since its end counts.
 */
static void begin_pause(struct question_server *s, uint32_t uid, uint64_t begin_ns)
{
	uint64_t end_ns = clock_now_ns(CLOCK_MONOTONIC);

	find_idle(s, begin_ns);
	s->strangers_ns = end_ns + PAUSE_FACTOR * (end_ns - begin_ns);
	s->last_uid = uid;
	for (size_t i = 0; i < s->clients; i++)
		if (s->client[i].uid == uid)
			s->client[i].waits_ns = s->strangers_ns;
}

bool question_narrow(
	const struct question_reader *own, bool has_uid, uint32_t uid, struct question_reader *ret)
{
	if (has_uid && !own->sees_all && own->uid != uid)
		return false;
	*ret = has_uid ? (struct question_reader){.uid = uid} : *own;
	return true;
}

/*
 * Reads C's question, if there is one, and has it answered. Returns TURN_USED if the answer, or a
 * part of it, was made.
 */
static enum turn question_server_read(struct question_server *s, struct question_client *c)
{
	unsigned char text[QUESTION_SIZE_MAX];
	ssize_t n = recv(c->fd, text, sizeof(text), MSG_DONTWAIT | MSG_TRUNC);
	struct question q = {
		.data = text, .is_trusted = c->is_trusted, .uid = c->uid, .reader = c->reader};

	if (n < 0)
		return errno == EAGAIN || errno == EINTR ? TURN_IDLE : TURN_GONE;
	if (n == 0)
		return TURN_GONE;
	q.len = (size_t)n <= sizeof(text) ? (size_t)n : 0;
	s->service->answer(s->context, &q, &c->reply);
	return TURN_USED;
}

/* Goes on with C's answer, if C has not gone. */
static enum turn question_server_go_on(struct question_server *s, struct question_client *c)
{
	struct pollfd p = {.fd = c->fd};

	if (poll(&p, 1, 0) > 0)
		return TURN_GONE;
	s->service->go_on(s->context, &c->reply);
	return TURN_USED;
}

/* Reads and answers C's question, if there is one, or goes on with its answer. */
static enum turn question_server_serve(struct question_server *s, struct question_client *c)
{
	uint64_t begin_ns = clock_now_ns(CLOCK_MONOTONIC);
	enum turn turn = is_working(c) ? question_server_go_on(s, c) : question_server_read(s, c);

	if (turn != TURN_USED)
		return turn;
	if (!c->is_trusted)
		begin_pause(s, c->uid, begin_ns);
	if (is_working(c))
		return TURN_USED;
	turn = c->reply.bytes.error ? TURN_GONE : send_some(s, c);
	return turn == TURN_GONE ? TURN_GONE : TURN_USED;
}

/* Accounts for the TURN of client I, and disconnects it if it has gone or was idle for too long. */
static void question_server_settle(
	struct question_server *s, size_t i, enum turn turn, uint64_t now_ns)
{
	struct question_client *c = &s->client[i];

	if (turn == TURN_USED)
		c->idle_ns = 0;
	else
		add_idle(s, c, now_ns);
	if (now_ns > c->checked_ns)
		c->checked_ns = now_ns;
	if (turn == TURN_GONE || c->idle_ns >= IDLE_NS)
		question_server_disconnect(s, i);
}

/*
 * Returns the stranger that has waited longest and was not tried in this run; s->clients if there
 * is none.
 */
static size_t next_stranger(const struct question_server *s)
{
	size_t found = s->clients;

	for (size_t i = 0; i < s->clients; i++) {
		const struct question_client *a = &s->client[i], *b = &s->client[found];

		if (a->is_trusted || is_answering(a) || a->is_tried)
			continue;
		if (found == s->clients || a->waits_ns < b->waits_ns ||
			(a->waits_ns == b->waits_ns && b->uid == s->last_uid))
			found = i;
	}
	return found;
}

static void serve_strangers(struct question_server *s, uint64_t now_ns)
{
	size_t i;

	for (i = 0; i < s->clients; i++)
		s->client[i].is_tried = false;
	while (now_ns >= s->strangers_ns && (i = next_stranger(s)) < s->clients) {
		struct question_client *c = &s->client[i];
		enum turn turn = question_server_serve(s, c);

		c->is_tried = true;
		if (turn == TURN_IDLE && c->waits_ns < now_ns)
			c->waits_ns = now_ns; /* it had no question, so it did not wait */
		question_server_settle(s, i, turn, now_ns);
	}
	/* find_idle() may have found others idle for too long. */
	for (i = s->clients; i-- > 0;)
		if (!s->client[i].is_trusted && s->client[i].idle_ns >= IDLE_NS)
			question_server_disconnect(s, i);
}

void question_server_run(struct question_server *s, uint64_t now_ns)
{
	for (size_t i = s->clients; i-- > 0;) {
		struct question_client *c = &s->client[i];

		if (is_answering(c))
			question_server_settle(s, i, send_some(s, c), now_ns);
		else if (c->is_trusted)
			question_server_settle(s, i, question_server_serve(s, c), now_ns);
	}
	serve_strangers(s, now_ns);
	question_server_accept(s, now_ns);
}
