/* SPDX-License-Identifier: Apache-2.0 */
/*
 * HTTP on the listening sockets, in the caller's thread: a listener for each (web/listener.h), whose epoll descriptor is
 * for the caller to poll, and what is asked there (web/exchanges.h), which goes to the site. It logs nothing that clients
 * cause.
 */
#ifndef MEMTALLY_WEB_SERVER_H
#define MEMTALLY_WEB_SERVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "web/access.h"
#include "web/caller.h"
#include "web/connections.h"
#include "web/exchanges.h"
#include "web/listen.h"
#include "web/listener.h"
#include "web/site.h"

/* Stays where it is between server_start() and server_stop(). */
struct server {
	struct site *site;         /* borrowed */
	struct listener *listener; /* owned; one for each socket */
	size_t listeners;
	struct connections connections;
	struct exchanges exchanges;
};

/*
 * Serves SITE on SET, whose callers RULES tell apart, all borrowed until server_stop(), to MAX_CLIENTS at a time for each
 * socket, or fewer where the descriptor limit does not allow that many. Whether by TLS is decided here, by ACCESS, as in
 * server_admit(), which has to follow before anybody's password can be found right. -ENOMEM; -EPROTONOSUPPORT: the library
 * was built without TLS; -EIO where it refuses; errors of passwords_new() and entrance_open(). Then there is nothing to be
 * done with S.
 */
int server_start(struct server *s, struct site *site, const struct listen_set *set,
	const struct caller_rules *rules, const struct access *access, unsigned int max_clients);

/*
 * From now on those get in who do by ACCESS, borrowed until the next call or server_stop(), with TLS if there was TLS at the
 * start. Who asks for nothing at the moment has to connect anew. May make a thread, so rights have to be given up before.
 * -ENOMEM, errors of pthread_create(): it stays as it was.
 */
int server_admit(struct server *s, const struct access *access);

/* Readable when server_run() has something to do besides what epoll descriptors say; owned by S. */
int server_fd(const struct server *s);

/* Milliseconds until server_run() is due without input on an epoll descriptor; -1: never. */
int64_t server_due_ms(
	const struct server *s, uint64_t now_monotonic_ns, uint64_t client_timeout_ns);

/* Does some of what there is to do, without waiting; the rest keeps the epoll descriptors readable. */
void server_run(struct server *s, uint64_t now_monotonic_ns, uint64_t client_timeout_ns);

/* Accepts nobody any more, and may be said again: who comes now waits at the socket for whoever serves there next. */
void server_leave(struct server *s);

/* Whether somebody has been let in who has asked, or is about to ask first, and has no answer yet. */
bool server_owes(const struct server *s);

/* Ends all connections. The sockets stay open and listening: a service manager may own them. */
void server_stop(struct server *s);

#endif
