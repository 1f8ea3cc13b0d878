/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Requests, each from its first line to the last byte of its answer: decides whether a request is answered and whether the
 * client may have the answer, and suspends it while a thread checks its password, so that other requests are answered. struct
 * site makes the answers. The origin of a request is a struct connection, the library's socket context; NULL: there was no
 * memory for it. Without memory a request is answered with 503.
 */
#ifndef MEMTALLY_WEB_EXCHANGES_H
#define MEMTALLY_WEB_EXCHANGES_H

#include <stddef.h>

#include "web/access.h"
#include "web/connections.h"
#include "web/mhd.h"
#include "web/passwords.h"
#include "web/rate.h"
#include "web/site.h"

enum {
	/* Bytes for the library for each connection: the head of a request, and the pieces of a long list. */
	EXCHANGES_MEMORY = 16 * 1024,
	/* The longest host name in Linux, with its terminator. */
	EXCHANGES_NAME_SIZE = 65,
};

struct exchange;

struct exchanges {
	struct site *site;                /* borrowed */
	struct connections *connections;  /* borrowed */
	const struct access *access;      /* borrowed; the clients that get in at the moment */
	struct passwords *passwords;      /* owned */
	struct exchange *awaited;         /* requests with passwords that are being checked */
	struct rate rate;                 /* of requests */
	struct MHD_Response *last_resort; /* owned; a 503 that takes no memory any more */
	/* The host name at the start; empty: unknown. */
	char machine[EXCHANGES_NAME_SIZE];
};

/*
 * Begins XS for SITE, CONNECTIONS and ACCESS. They stay borrowed until exchanges_done(), ACCESS until exchanges_admit(); no
 * password is accepted before that. Returns 0; -ENOMEM; or a negative errno of eventfd() or getrandom(): then only
 * exchanges_abandon() and exchanges_done() may follow.
 */
int exchanges_init(struct exchanges *xs, struct site *site, struct connections *connections,
	const struct access *access);

/* Frees what XS owns. Call it after the library has ended every connection. */
void exchanges_done(struct exchanges *xs);

/*
 * From now on ACCESS, borrowed until the next call or exchanges_done(), decides which clients get answers, also for requests
 * that wait. May make a thread. Returns 0; -ENOMEM or a negative errno of pthread_create(): then nothing changes.
 */
int exchanges_admit(struct exchanges *xs, const struct access *access);

/* Readable when exchanges_resume() has something to do; owned by XS. */
int exchanges_fd(const struct exchanges *xs);

/* Resumes the requests with passwords that have been checked. */
void exchanges_resume(struct exchanges *xs);

/* Resumes all suspended requests, also unchecked ones. The library must be stopped after that. */
void exchanges_abandon(struct exchanges *xs);

/* Callbacks of the library, with a struct exchanges: MHD_OPTION_URI_LOG_CALLBACK, */
void *exchanges_on_target(void *exchanges, const char *target, struct MHD_Connection *connection);

/* the access handler, */
enum MHD_Result exchanges_on_request(void *exchanges, struct MHD_Connection *connection,
	const char *url, const char *method, const char *version, const char *upload,
	size_t *upload_size, void **exchange);

/* and for MHD_OPTION_NOTIFY_COMPLETED. */
void exchanges_on_completed(void *exchanges, struct MHD_Connection *connection, void **exchange,
	enum MHD_RequestTerminationCode how);

#endif
