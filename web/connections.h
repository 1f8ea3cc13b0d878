/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The open connections and how long each has been at it. The library's own timeout starts anew with
 * every byte, so a client that sends or reads one byte at a time would keep its place for ever; here
 * the time is absolute. A connection that is too old is shut down; the library then sees it end.
 */
#ifndef MEMTALLY_WEB_CONNECTIONS_H
#define MEMTALLY_WEB_CONNECTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "web/caller.h"

struct listen_socket;
struct tls;

struct connection {
	struct connection *older, *newer;
	const struct listen_socket *socket; /* that it came in by; borrowed */
	int fd;                             /* borrowed */
	struct caller caller;
	struct tls *tls;   /* that it began with, the owner's business; NULL: none */
	uint64_t since_ns; /* when it became free for its present request */
	bool is_busy;      /* a request has begun and its answer has not ended */
	bool is_whole;     /* it has come whole, and what is missing is of the answer */
	bool has_answered; /* at least once */
	bool is_cut;       /* shut down, and no longer in the list */
};

/* By .since_ns; the timeout is the same for all. */
struct connections {
	struct connection *oldest, *newest;
};

/* A new one of CALLER, who has come in by SOCKET at NOW. NULL: out of memory. */
struct connection *connections_add(struct connections *list, const struct listen_socket *socket,
	int fd, struct caller caller, uint64_t now_ns);

/* Forgets C, which is freed. */
void connections_remove(struct connections *list, struct connection *c);

/*
 * C has sent a request line. The first request of a connection has had its time since the connection was
 * accepted; a later one starts here, since nobody is to blame for having been idle.
 */
void connections_begin(struct connections *list, struct connection *c, uint64_t now_ns);

/* The head of C's request has come whole; more is not read. */
void connections_complete(struct connection *c);

/* C's answer has been sent. */
void connections_end(struct connections *list, struct connection *c, uint64_t now_ns);

/* Shuts C down; what it still has to be sent is thrown away. */
void connections_cut(struct connections *list, struct connection *c);

/* Shuts down those that have had an answer and now ask for nothing. */
void connections_cut_idle(struct connections *list);

/* Shuts down what has taken longer than TIMEOUT_NS. */
void connections_expire(struct connections *list, uint64_t now_ns, uint64_t timeout_ns);

/* When connections_expire() is due; UINT64_MAX: never. */
uint64_t connections_due_ns(const struct connections *list, uint64_t timeout_ns);

/* Whether one of them is at a request or has never made any. */
bool connections_owe(const struct connections *list);

/*
 * Makes room for NEWCOMER: shuts down the connection of its socket that has for longest had no whole request,
 * and that for a second at least; where there is none, the one that has for longest been at its present
 * request. Never NEWCOMER itself. False: there is no other.
 */
bool connections_evict(
	struct connections *list, const struct connection *newcomer, uint64_t now_ns);

#endif
