/* SPDX-License-Identifier: Apache-2.0 */
/*
 * HTTP Server
 *
 * Serves HTTP at the listening sockets in the caller's thread. There is one listener for each
 * socket (web/listener.h); the caller polls its epoll descriptor. Requests go through struct
 * requests (web/requests.h) to the site. Nothing that clients cause is logged above level debug.
 */
#ifndef MEMTALLY_WEB_SERVER_H
#define MEMTALLY_WEB_SERVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "web/auth/access.h"
#include "web/listener.h"
#include "web/net/caller.h"
#include "web/net/connections.h"
#include "web/net/listen.h"
#include "web/requests.h"
#include "web/site/site.h"

/* Must not move between server_start() and server_stop(). */
struct server {
	struct site *site;         /* borrowed */
	struct listener *listener; /* owned; one for each socket */
	size_t listeners;
	struct connections connections;
	struct requests requests; /* poll requests_fd(), together with the listeners */
};

/*
 * Begins to serve SITE at the sockets of SET, with RULES to tell callers apart. All three stay
 * borrowed until server_stop(). Each socket gets at most MAX_CLIENTS clients at a time, or fewer if
 * the limit of descriptors does not allow that many (this is logged). ACCESS decides here whether
 * TLS is used; it stays borrowed until server_admit(), which must follow before any password can be
 * right.
 *
 * Returns 0; -ENOMEM; -EPROTONOSUPPORT if the library was built without TLS; -EIO if the library
 * fails; or an error of passwords_new() or accept_queue_open(). After a failure only server_stop()
 * may follow.
 */
int server_start(struct server *s, struct site *site, const struct listen_set *set,
	const struct caller_rules *rules, const struct access *access, unsigned int max_clients);

/*
 * Makes ACCESS decide which clients get answers, borrowed until the next call or server_stop(). TLS
 * is used only if it was used at the start. Shuts down idle connections that have had an answer, so
 * that their clients connect anew. May create a thread, so give up rights before the first call.
 * Returns 0; -ENOMEM, -EIO, or a negative errno of pthread_create(), and then nothing changes.
 */
int server_admit(struct server *s, const struct access *access);

/*
 * Returns the milliseconds until server_run() is due without input on a descriptor; -1 if it is not
 * due without input. CLIENT_TIMEOUT_NS is the time that a client has for a request and its answer.
 */
int64_t server_due_ms(
	const struct server *s, uint64_t now_monotonic_ns, uint64_t client_timeout_ns);

/*
 * Serves all listeners for one round without waiting. Descriptors stay readable if work is left.
 * Shuts down clients that have taken longer than CLIENT_TIMEOUT_NS.
 */
void server_run(struct server *s, uint64_t now_monotonic_ns, uint64_t client_timeout_ns);

/*
 * Stops accepting clients. Clients that connect later wait at the socket for the next process that
 * serves it. May be called again.
 */
void server_leave(struct server *s);

/*
 * Ends all connections and frees what S owns. The sockets stay open and listening, since a service
 * manager may own them.
 */
void server_stop(struct server *s);

#endif
