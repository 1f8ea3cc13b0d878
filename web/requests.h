/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Requests
 *
 * Handles each request from its first line to the last byte of its answer. It decides whether a
 * request is answered and whether the client may have the answer, and suspends the request while a
 * thread checks its password, memtally-ledger is asked, or other histories have their turn, so that
 * other requests are answered. struct site makes the answers.
 * Each connection of the library has a struct connection as its socket context. If that is NULL for
 * lack of memory, its requests are answered with 503.
 */
#ifndef MEMTALLY_WEB_REQUESTS_H
#define MEMTALLY_WEB_REQUESTS_H

#include <stddef.h>

#include "web/auth/access.h"
#include "web/auth/passwords.h"
#include "web/http/mhd.h"
#include "web/net/connections.h"
#include "web/net/rate.h"
#include "web/site/site.h"

enum {
	/*
	 * Bytes for the library for each connection: the head of a request, and the pieces of a
	 * long list.
	 */
	REQUESTS_MEMORY = 16 * 1024,
	/* The longest host name in Linux, with its terminator. */
	REQUESTS_NAME_SIZE = 65,
};

/*
 * An answer without a body that ends the connection, for a client to which the library cannot
 * answer. STATUS is a literal such as "414 URI Too Long".
 */
#define REQUESTS_RAW_ANSWER(status)                                                                \
	"HTTP/1.1 " status "\r\nContent-Length: 0\r\nCache-Control: no-store\r\n"                  \
	"X-Content-Type-Options: nosniff\r\n"                                                      \
	"Content-Security-Policy: default-src 'none'; frame-ancestors 'none'\r\n"                  \
	"Connection: close\r\n\r\n"

struct exchange;

struct requests {
	struct site *site;               /* borrowed */
	struct connections *connections; /* borrowed */
	const struct access *access;     /* borrowed; decides which clients get answers */
	struct passwords *passwords;     /* owned */
	/* Suspended: passwords are being checked, the past is asked for, or it is not their turn. */
	struct exchange *awaited;
	size_t turns_awaited;             /* how many of these wait for their turn */
	unsigned int admissions;          /* how often .access was set */
	struct rate rate;                 /* of requests */
	struct MHD_Response *last_resort; /* owned; a 503 answer that needs no memory */
	/* The host name at the start of the program; empty: unknown. */
	char machine[REQUESTS_NAME_SIZE];
};

/*
 * Begins XS for SITE, CONNECTIONS and ACCESS. They stay borrowed until requests_done(), ACCESS
 * until requests_admit(). No password is accepted before requests_admit(). Returns 0; -ENOMEM;
 * -EIO if there are no random numbers; or a negative errno of eventfd(). After a failure only
 * requests_abandon() and requests_done() may follow.
 */
int requests_init(struct requests *xs, struct site *site, struct connections *connections,
	const struct access *access);

/* Frees what XS owns. Call it after the library has ended every connection. */
void requests_done(struct requests *xs);

/*
 * Makes ACCESS decide which clients get answers, also for requests that are suspended. ACCESS stays
 * borrowed until the next call or requests_done(). May create a thread. Returns 0; -ENOMEM, -EIO,
 * or a negative errno of pthread_create(), and then nothing changes.
 */
int requests_admit(struct requests *xs, const struct access *access);

/* Returns a descriptor that is readable when requests_resume() has something to do. XS owns it. */
int requests_fd(const struct requests *xs);

/*
 * Resumes the requests with passwords that have been checked, those for which memtally-recorder or
 * memtally-ledger has answered, and those that have their turn in this round. Call it after site_begin_round().
 */
void requests_resume(struct requests *xs);

/* Returns true if requests_resume() is to be called soon: requests wait for the next round. */
bool requests_are_due(const struct requests *xs);

/*
 * Resumes all suspended requests. Passwords that are still being checked count as wrong. The
 * library must be stopped after that.
 */
void requests_abandon(struct requests *xs);

/*
 * Callback for MHD_OPTION_URI_LOG_CALLBACK. REQUESTS is a struct requests, here and below. Begins
 * a request with the undecoded TARGET. Returns its struct exchange, or NULL if the target was
 * refused or there is no memory.
 */
void *requests_on_target(void *requests, const char *target, struct MHD_Connection *connection);

/* The library's access handler: answers the request, refuses it, or suspends it. */
enum MHD_Result requests_on_request(void *requests, struct MHD_Connection *connection,
	const char *url, const char *method, const char *version, const char *upload,
	size_t *upload_size, void **exchange);

/* Callback for MHD_OPTION_NOTIFY_COMPLETED: frees the request. */
void requests_on_completed(void *requests, struct MHD_Connection *connection, void **exchange,
	enum MHD_RequestTerminationCode how);

#endif
