/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Connections
 *
 * The open connections, ordered by how long each has been at its present request. libmicrohttpd's
 * own timeout starts anew with every byte, so a client that sends or reads one byte at a time would
 * keep its place for ever. Here the time is absolute. A connection that is too old is shut down;
 * libmicrohttpd then sees that it ends. All times are CLOCK_MONOTONIC in nanoseconds.
 */
#ifndef MEMTALLY_WEB_NET_CONNECTIONS_H
#define MEMTALLY_WEB_NET_CONNECTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "web/net/caller.h"

struct listen_socket;
struct tls;

struct connection {
	struct connection *older, *newer;
	const struct listen_socket *socket; /* borrowed; the listener that accepted it */
	int fd;                             /* borrowed */
	struct caller caller;
	struct tls *tls;   /* the settings it began with, kept by the caller; NULL: none */
	uint64_t since_ns; /* when it was accepted, last answered, or began a later request */
	bool is_busy;      /* a request has begun and is not fully answered */
	bool is_whole;     /* its head is complete; only the answer is outstanding */
	bool has_answered; /* at least one request */
	bool is_cut;       /* shut down, no longer in the list */
};

/* Ordered by .since_ns. The timeout is the same for all. */
struct connections {
	struct connection *oldest, *newest;
};

/*
 * Adds a connection with descriptor FD of CALLER, accepted by SOCKET at NOW_NS. The list owns it
 * until connections_remove(). Returns it, or NULL if there is no memory.
 */
struct connection *connections_add(struct connections *list, const struct listen_socket *socket,
	int fd, struct caller caller, uint64_t now_ns);

/* Removes C from the list and frees it. Does not close its descriptor. */
void connections_remove(struct connections *list, struct connection *c);

/*
 * Notes that C has sent a request line at NOW_NS. The time of the first request has been running
 * since the connection was accepted. The time of a later request starts here, because a client may
 * stay idle between requests.
 */
void connections_begin(struct connections *list, struct connection *c, uint64_t now_ns);

/* Notes that the head of C's request is complete. Bodies are not read. */
void connections_complete(struct connection *c);

/* Notes that C's answer has been sent at NOW_NS. The time of the next request starts. */
void connections_end(struct connections *list, struct connection *c, uint64_t now_ns);

/*
 * Shuts C down. Data that is still to be sent is thrown away if a request is not fully answered.
 * Does nothing if C is already shut down.
 */
void connections_cut(struct connections *list, struct connection *c);

/* Shuts down the connections that have had an answer and have no request at the moment. */
void connections_cut_idle(struct connections *list);

/* Shuts down the connections that have taken longer than TIMEOUT_NS, idle ones included. */
void connections_expire(struct connections *list, uint64_t now_ns, uint64_t timeout_ns);

/*
 * Returns the time at which connections_expire() is next due; UINT64_MAX if there is no connection.
 */
uint64_t connections_due_ns(const struct connections *list, uint64_t timeout_ns);

/*
 * Returns true if a connection has a request that is not fully answered, or has not made its first
 * request yet.
 */
bool connections_owe(const struct connections *list);

/*
 * Makes room for NEWCOMER by shutting down another connection of the same listener. It shuts down
 * the connection that has waited longest, and at least one second, without a complete request. If
 * there is none, it shuts down the one that has been longest at its present request. Returns false
 * if the listener has no other connection.
 */
bool connections_evict(
	struct connections *list, const struct connection *newcomer, uint64_t now_ns);

#endif
