/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One listening socket at work: its instance of the library, whom it lets in and who has to go for them. What those who
 * are in ask for is the business of struct exchanges, which serves all listeners.
 */
#ifndef MEMTALLY_WEB_LISTENER_H
#define MEMTALLY_WEB_LISTENER_H

#include <stdint.h>

#include "web/caller.h"
#include "web/entrance.h"
#include "web/exchanges.h"
#include "web/listen.h"
#include "web/mhd.h"

enum {
	LISTENER_CLIENTS_OVER = 32, /* who are let in before room is made for them, at most */
	LISTENER_FDS = 4, /* the socket, the entrance's epoll, the library's epoll and eventfd */
};

struct listener {
	struct exchanges *exchanges;        /* borrowed */
	const struct listen_socket *socket; /* borrowed */
	const struct caller_rules *rules;   /* borrowed */
	unsigned int max_clients;           /* above it others have to go */
	unsigned int clients;               /* open connections */
	struct MHD_Daemon *daemon;
	struct entrance entrance; /* its .epoll_fd is to be polled */
};

/*
 * Lets in at SOCKET who comes, RULES telling callers apart, MAX_CLIENTS of them at a time (1 or more), for what they ask to
 * go to EXCHANGES; all borrowed until listener_stop(), and L stays where it is. With TLS where the access of EXCHANGES has
 * it: that of the moment, for each connection. -EPROTONOSUPPORT: the library was built without TLS; -EIO where it refuses;
 * errors of entrance_open(). Then there is nothing to be done with L.
 */
int listener_start(struct listener *l, struct exchanges *exchanges,
	const struct listen_socket *socket, const struct caller_rules *rules,
	unsigned int max_clients);

/* Ends its connections; the socket stays open. None of its exchanges may be awaited (exchanges_abandon()). */
void listener_stop(struct listener *l);

/* Does some of what there is to do, without waiting; the rest keeps the entrance's epoll descriptor readable. */
void listener_run(struct listener *l, uint64_t now_monotonic_ns);

#endif
