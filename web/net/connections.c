/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "web/net/connections.h"

#include <stdlib.h>
#include <sys/socket.h>

#include "base/clock.h"

#define GRACE_NS NS_PER_SEC

static void link_newest(struct connections *list, struct connection *c)
{
	c->older = list->newest;
	c->newer = NULL;
	if (list->newest)
		list->newest->newer = c;
	else
		list->oldest = c;
	list->newest = c;
}

static void unlink_one(struct connections *list, struct connection *c)
{
	if (c->older)
		c->older->newer = c->newer;
	else
		list->oldest = c->newer;
	if (c->newer)
		c->newer->older = c->older;
	else
		list->newest = c->older;
}

struct connection *connections_add(struct connections *list, const struct listen_socket *socket,
	int fd, struct caller caller, uint64_t now_ns)
{
	struct connection *c = calloc(1, sizeof(*c));

	if (!c)
		return NULL;
	c->socket = socket;
	c->fd = fd;
	c->caller = caller;
	c->since_ns = now_ns;
	link_newest(list, c);
	return c;
}

void connections_remove(struct connections *list, struct connection *c)
{
	if (!c->is_cut)
		unlink_one(list, c);
	free(c);
}

static void connections_renew(struct connections *list, struct connection *c, uint64_t now_ns)
{
	if (c->is_cut)
		return;
	unlink_one(list, c);
	c->since_ns = now_ns;
	link_newest(list, c);
}

void connections_begin(struct connections *list, struct connection *c, uint64_t now_ns)
{
	c->is_busy = true;
	c->is_whole = false;
	if (c->has_answered)
		connections_renew(list, c, now_ns);
}

void connections_complete(struct connection *c)
{
	c->is_whole = true;
}

void connections_end(struct connections *list, struct connection *c, uint64_t now_ns)
{
	c->is_busy = c->is_whole = false;
	c->has_answered = true;
	connections_renew(list, c, now_ns);
}

/* With SO_LINGER 0 the kernel also throws away data that the client has not read. */
void connections_cut(struct connections *list, struct connection *c)
{
	const struct linger none = {.l_onoff = 1, .l_linger = 0};

	if (c->is_cut)
		return;
	if (c->is_busy)
		(void)setsockopt(c->fd, SOL_SOCKET, SO_LINGER, &none, sizeof(none));
	shutdown(c->fd, SHUT_RDWR);
	unlink_one(list, c);
	c->is_cut = true;
}

void connections_cut_idle(struct connections *list)
{
	struct connection *newer;

	for (struct connection *c = list->oldest; c; c = newer) {
		newer = c->newer;
		if (c->has_answered && !c->is_busy)
			connections_cut(list, c);
	}
}

void connections_expire(struct connections *list, uint64_t now_ns, uint64_t timeout_ns)
{
	while (connections_due_ns(list, timeout_ns) <= now_ns)
		connections_cut(list, list->oldest);
}

uint64_t connections_due_ns(const struct connections *list, uint64_t timeout_ns)
{
	return list->oldest ? list->oldest->since_ns + timeout_ns : UINT64_MAX;
}

bool connections_owe(const struct connections *list)
{
	for (const struct connection *c = list->oldest; c; c = c->newer)
		if (c->is_busy || !c->has_answered)
			return true;
	return false;
}

/*
 * The second gives a new client time for its request. If slow readers have all places, the newest
 * client is the only one without a complete request, and would have to make room for the next one
 * before it could ask.
 */
bool connections_evict(struct connections *list, const struct connection *newcomer, uint64_t now_ns)
{
	struct connection *oldest = NULL;

	for (struct connection *c = list->oldest; c; c = c->newer) {
		bool is_young = now_ns < c->since_ns + GRACE_NS;

		if (c->socket != newcomer->socket || c == newcomer)
			continue;
		if (!oldest || (!is_young && !c->is_whole))
			oldest = c;
		if (is_young || !c->is_whole)
			break;
	}
	if (oldest)
		connections_cut(list, oldest);
	return oldest != NULL;
}
