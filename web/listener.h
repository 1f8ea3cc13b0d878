/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Listener
 *
 * One listening socket with its instance of libmicrohttpd. It accepts clients, and makes room for
 * new ones by shutting down older connections. The requests of all listeners go to struct
 * requests.
 */
#ifndef MEMTALLY_WEB_LISTENER_H
#define MEMTALLY_WEB_LISTENER_H

#include <stdint.h>

#include "web/http/mhd.h"
#include "web/net/accept-queue.h"
#include "web/net/caller.h"
#include "web/net/listen.h"
#include "web/requests.h"

enum {
	LISTENER_CLIENTS_OVER = 32, /* accepted above the limit before room is made */
	LISTENER_FDS =
		4, /* the socket, the accept queue's epoll, the library's epoll and eventfd */
};

struct listener {
	struct requests *requests;          /* borrowed */
	const struct listen_socket *socket; /* borrowed */
	const struct caller_rules *rules;   /* borrowed */
	unsigned int max_clients;           /* above it, older connections are shut down */
	unsigned int clients;               /* open connections */
	struct MHD_Daemon *daemon;
	struct accept_queue queue; /* the caller polls its .epoll_fd */
};

/*
 * Begins to accept clients at SOCKET, MAX_CLIENTS (1 or more) at a time. RULES tell callers apart,
 * and REQUESTS get the requests. All stay borrowed until listener_stop(), and L must not move.
 * Serves TLS if the access of REQUESTS has TLS; each connection uses the settings of the moment at
 * which it begins.
 *
 * Returns 0; -EPROTONOSUPPORT if the library was built without TLS; -EIO if the library fails; or
 * an error of accept_queue_open(). After a failure L needs no listener_stop().
 */
int listener_start(struct listener *l, struct requests *requests,
	const struct listen_socket *socket, const struct caller_rules *rules,
	unsigned int max_clients);

/*
 * Ends all connections of L. The socket stays open. None of its requests may be suspended
 * (requests_abandon()).
 */
void listener_stop(struct listener *l);

/*
 * Accepts and serves clients for one round without waiting. The accept queue's epoll descriptor
 * stays readable if work is left.
 */
void listener_run(struct listener *l, uint64_t now_monotonic_ns);

#endif
