/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "ledger/usage-server.h"

#include <errno.h>
#include <sys/socket.h>

#include "base/cleanup.h"
#include "base/clock.h"

#define IDLE_NS     (10 * NS_PER_SEC)
#define SHORTAGE_NS (100 * NS_PER_MSEC)

enum {
	PAUSE_FACTOR = 3,
	/* connections accepted in one run: those of one user beyond its limit are closed at once */
	ACCEPTED_MAX = 256,
};

void usage_server_init(struct usage_server *s, int listen_fd, const struct peer_rules *rules)
{
	*s = (struct usage_server){.listen_fd = listen_fd, .rules = rules, .web = (uid_t)-1};
}

static void usage_server_disconnect(struct usage_server *s, size_t i)
{
	fd_close(s->client[i].fd);
	buffer_done(&s->client[i].answer);
	s->client[i] = s->client[--s->clients];
}

void usage_server_done(struct usage_server *s)
{
	while (s->clients)
		usage_server_disconnect(s, s->clients - 1);
	s->listen_fd = fd_close(s->listen_fd);
}

static bool is_answering(const struct usage_server_client *c)
{
	return c->sent < c->answer.len;
}

/* Returns whether C's next question may be read at NOW_NS. */
static bool may_ask(
	const struct usage_server *s, const struct usage_server_client *c, uint64_t now_ns)
{
	return c->is_trusted || now_ns >= s->strangers_ns;
}

size_t usage_server_poll(
	const struct usage_server *s, uint64_t now_ns, struct pollfd to[static USAGE_SERVER_POLLS])
{
	to[0] = (struct pollfd){.fd = now_ns < s->retry_ns ? -1 : s->listen_fd, .events = POLLIN};
	for (size_t i = 0; i < s->clients; i++) {
		const struct usage_server_client *c = &s->client[i];

		to[i + 1] = (struct pollfd){.fd = c->fd};
		if (is_answering(c))
			to[i + 1].events = POLLOUT;
		else if (may_ask(s, c, now_ns))
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
static uint64_t turn_begin_ns(const struct usage_server *s, const struct usage_server_client *c)
{
	bool pauses = !is_answering(c) && !c->is_trusted && s->strangers_ns > c->checked_ns;

	return pauses ? s->strangers_ns : c->checked_ns;
}

uint64_t usage_server_due_ns(const struct usage_server *s, uint64_t now_ns)
{
	uint64_t due = s->retry_ns ? s->retry_ns : UINT64_MAX;

	for (size_t i = 0; i < s->clients; i++) {
		const struct usage_server_client *c = &s->client[i];
		uint64_t idle_ns = turn_begin_ns(s, c) + IDLE_NS - c->idle_ns;

		if (idle_ns < due)
			due = idle_ns;
		if (!is_answering(c) && !may_ask(s, c, now_ns) && s->strangers_ns < due)
			due = s->strangers_ns;
	}
	return due;
}

static size_t usage_server_count_of(const struct usage_server *s, uid_t uid)
{
	size_t count = 0;

	for (size_t i = 0; i < s->clients; i++)
		count += s->client[i].uid == uid;
	return count;
}

/* Returns how many connections C's uid would have if COMING were accepted. */
static size_t usage_server_places(const struct usage_server *s, const struct usage_server_client *c,
	const struct usage_server_client *coming)
{
	return usage_server_count_of(s, c->uid) + (c->uid == coming->uid);
}

/*
 * Returns whether A should be disconnected rather than B to make room for COMING, which may be A or
 * B. Waiting for a turn does not count as idle.
 */
static bool makes_room(const struct usage_server *s, const struct usage_server_client *a,
	const struct usage_server_client *b, const struct usage_server_client *coming)
{
	size_t a_places = usage_server_places(s, a, coming),
	       b_places = usage_server_places(s, b, coming);

	if (a->is_trusted != b->is_trusted)
		return b->is_trusted;
	if (!a->is_trusted && a_places != b_places)
		return a_places > b_places;
	if (a->idle_ns != b->idle_ns)
		return a->idle_ns > b->idle_ns;
	return a->waits_ns > b->waits_ns;
}

/* Disconnects a client if there are too many. Returns false if COMING is the one to disconnect. */
static bool usage_server_make_room(struct usage_server *s, const struct usage_server_client *coming)
{
	const struct usage_server_client *found = coming;

	if (s->clients < USAGE_SERVER_CLIENTS_MAX)
		return true;
	for (size_t i = 0; i < s->clients; i++)
		if (makes_room(s, &s->client[i], found, coming))
			found = &s->client[i];
	if (found == coming)
		return false;
	usage_server_disconnect(s, (size_t)(found - s->client));
	return true;
}

/*
 * Disconnects clients that have closed their connection. In a pause strangers' sockets are not
 * read, so this is not noticed elsewhere.
 */
static void usage_server_sweep(struct usage_server *s)
{
	struct pollfd p[USAGE_SERVER_CLIENTS_MAX];

	for (size_t i = 0; i < s->clients; i++)
		p[i] = (struct pollfd){.fd = s->client[i].fd};
	if (poll(p, (nfds_t)s->clients, 0) <= 0)
		return;
	for (size_t i = s->clients; i-- > 0;)
		if (p[i].revents)
			usage_server_disconnect(s, i);
}

static void usage_server_admit(struct usage_server *s, int consumed_fd, uint64_t now_ns)
{
	AUTO_CLOSE int fd = consumed_fd;
	struct usage_server_client c = {.checked_ns = now_ns, .waits_ns = now_ns};
	enum peer_kind kind;

	if (peer_of(fd, s->rules, &kind, &c.uid) < 0)
		return;
	c.is_trusted = kind == PEER_TRUSTED;
	c.reader.sees_all = c.is_trusted || (kind == PEER_USER && c.uid == s->web);
	c.reader.uid = kind == PEER_STRANGER ? OWNER_NO_ID : c.uid;
	if (s->clients == USAGE_SERVER_CLIENTS_MAX ||
		usage_server_count_of(s, c.uid) >= USAGE_SERVER_CLIENTS_EACH)
		usage_server_sweep(s);
	if (!c.is_trusted && usage_server_count_of(s, c.uid) >= USAGE_SERVER_CLIENTS_EACH)
		return;
	if (c.uid == s->last_uid && s->strangers_ns > now_ns)
		c.waits_ns = s->strangers_ns;
	if (!usage_server_make_room(s, &c))
		return;
	c.fd = TAKE_FD(fd);
	s->client[s->clients++] = c;
}

static void usage_server_accept(struct usage_server *s, uint64_t now_ns)
{
	if (now_ns < s->retry_ns)
		return;
	s->retry_ns = 0;
	for (int i = 0; i < ACCEPTED_MAX; i++) {
		int fd = accept4(s->listen_fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

		if (fd >= 0) {
			usage_server_admit(s, fd, now_ns);
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

static enum turn send_some(struct usage_server_client *c)
{
	enum turn turn = TURN_IDLE;

	while (is_answering(c)) {
		size_t len = c->answer.len - c->sent;
		ssize_t n;

		if (len > USAGE_MESSAGE_MAX)
			len = USAGE_MESSAGE_MAX;
		n = send(c->fd, c->answer.data + c->sent, len, MSG_DONTWAIT | MSG_NOSIGNAL);
		if (n < 0)
			return errno == EAGAIN || errno == EINTR ? turn : TURN_GONE;
		c->sent += (size_t)n;
		turn = TURN_USED;
	}
	buffer_done(&c->answer);
	c->answer = (struct buffer){0};
	c->sent = 0;
	return c->is_last ? TURN_GONE : TURN_USED;
}

/* Adds the time until NOW_NS to C's idle time, if it was C's turn. */
static void add_idle(const struct usage_server *s, struct usage_server_client *c, uint64_t now_ns)
{
	uint64_t since_ns = turn_begin_ns(s, c);

	if (now_ns > since_ns)
		c->idle_ns += now_ns - since_ns;
}

/*
 * Adds idle time until NOW_NS to the strangers that could have asked and have not. Skips those that
 * have: their question is read later.
 */
static void find_idle(struct usage_server *s, uint64_t now_ns)
{
	struct pollfd p[USAGE_SERVER_CLIENTS_MAX];

	for (size_t i = 0; i < s->clients; i++) {
		const struct usage_server_client *c = &s->client[i];
		bool may_be = !c->is_trusted && !is_answering(c);

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
static void begin_pause(struct usage_server *s, uid_t uid, uint64_t begin_ns)
{
	uint64_t end_ns = clock_now_ns(CLOCK_MONOTONIC);

	find_idle(s, begin_ns);
	s->strangers_ns = end_ns + PAUSE_FACTOR * (end_ns - begin_ns);
	s->last_uid = uid;
	for (size_t i = 0; i < s->clients; i++)
		if (s->client[i].uid == uid)
			s->client[i].waits_ns = s->strangers_ns;
}

/*
 * Sets *RET to the rows that the answer to REQUEST may have. Returns false if C may not ask for the
 * uid that REQUEST names.
 */
static bool find_reader(const struct usage_server_client *c, const struct usage_request *request,
	struct store_reader *ret)
{
	*ret = request->has_uid ? (struct store_reader){.uid = request->uid} : c->reader;
	return !request->has_uid || c->reader.sees_all || c->reader.uid == request->uid;
}

/* Reads C's question, if there is one, and answers it. */
static enum turn usage_server_serve(struct usage_server *s, struct usage_server_client *c,
	usage_server_answer *answer, void *context)
{
	unsigned char text[USAGE_REQUEST_SIZE + 1];
	struct usage_request request;
	struct store_reader reader = c->reader;
	uint64_t begin_ns;
	enum turn turn;
	ssize_t n;
	int r;

	n = recv(c->fd, text, sizeof(text), MSG_DONTWAIT | MSG_TRUNC);
	if (n < 0)
		return errno == EAGAIN || errno == EINTR ? TURN_IDLE : TURN_GONE;
	if (n == 0)
		return TURN_GONE;
	begin_ns = clock_now_ns(CLOCK_MONOTONIC);
	r = (size_t)n > sizeof(text) ? -EBADMSG : usage_request_parse(text, (size_t)n, &request);
	if (r == 0 && !find_reader(c, &request, &reader))
		r = -EACCES;
	c->is_last = r < 0;
	answer(context, r < 0 ? NULL : &request, &reader, &c->answer);
	if (!c->is_trusted)
		begin_pause(s, c->uid, begin_ns);
	turn = c->answer.error ? TURN_GONE : send_some(c);
	return turn == TURN_GONE ? TURN_GONE : TURN_USED;
}

/* Accounts for the TURN of client I, and disconnects it if it has gone or was idle for too long. */
static void usage_server_settle(struct usage_server *s, size_t i, enum turn turn, uint64_t now_ns)
{
	struct usage_server_client *c = &s->client[i];

	if (turn == TURN_USED)
		c->idle_ns = 0;
	else
		add_idle(s, c, now_ns);
	if (now_ns > c->checked_ns)
		c->checked_ns = now_ns;
	if (turn == TURN_GONE || c->idle_ns >= IDLE_NS)
		usage_server_disconnect(s, i);
}

/*
 * Returns the stranger that has waited longest and was not tried in this run; d->clients if there
 * is none.
 */
static size_t next_stranger(const struct usage_server *s)
{
	size_t found = s->clients;

	for (size_t i = 0; i < s->clients; i++) {
		const struct usage_server_client *a = &s->client[i], *b = &s->client[found];

		if (a->is_trusted || is_answering(a) || a->is_tried)
			continue;
		if (found == s->clients || a->waits_ns < b->waits_ns ||
			(a->waits_ns == b->waits_ns && b->uid == s->last_uid))
			found = i;
	}
	return found;
}

static void serve_strangers(
	struct usage_server *s, uint64_t now_ns, usage_server_answer *answer, void *context)
{
	size_t i;

	for (i = 0; i < s->clients; i++)
		s->client[i].is_tried = false;
	while (now_ns >= s->strangers_ns && (i = next_stranger(s)) < s->clients) {
		struct usage_server_client *c = &s->client[i];
		enum turn turn = usage_server_serve(s, c, answer, context);

		c->is_tried = true;
		if (turn == TURN_IDLE && c->waits_ns < now_ns)
			c->waits_ns = now_ns; /* it had no question, so it did not wait */
		usage_server_settle(s, i, turn, now_ns);
	}
	/* find_idle() may have found others idle for too long. */
	for (i = s->clients; i-- > 0;)
		if (!s->client[i].is_trusted && s->client[i].idle_ns >= IDLE_NS)
			usage_server_disconnect(s, i);
}

void usage_server_run(
	struct usage_server *s, uint64_t now_ns, usage_server_answer *answer, void *context)
{
	for (size_t i = s->clients; i-- > 0;) {
		struct usage_server_client *c = &s->client[i];

		if (is_answering(c))
			usage_server_settle(s, i, send_some(c), now_ns);
		else if (c->is_trusted)
			usage_server_settle(
				s, i, usage_server_serve(s, c, answer, context), now_ns);
	}
	serve_strangers(s, now_ns, answer, context);
	usage_server_accept(s, now_ns);
}
