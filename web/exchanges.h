/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Requests, each from its first line to the last byte of its answer: whether it is one that is answered, whether who asks
 * may, and that others are answered while a password is looked into. What is answered is the site's business. All that is
 * known of where requests come from is struct connection, which is the library's socket context of each; NULL: there was
 * no memory for it, and nothing is answered.
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
	/* What the library is to have for each connection: a request's head, and the pieces of a long list. */
	EXCHANGES_MEMORY = 16 * 1024,
	/* The longest name that Linux gives a machine, and its end. */
	EXCHANGES_NAME_SIZE = 65,
};

struct exchange;

struct exchanges {
	struct site *site;               /* borrowed */
	struct connections *connections; /* borrowed */
	const struct access *access;     /* borrowed; who gets in at the moment */
	struct passwords *passwords;     /* owned */
	struct exchange *awaited;        /* whose passwords are being looked into */
	struct rate rate;                /* of requests */
	/* What the machine was called at the start; empty: unknown. */
	char machine[EXCHANGES_NAME_SIZE];
};

/*
 * Requests for SITE on CONNECTIONS, by ACCESS, whose passwords nobody has before exchanges_admit(); all borrowed until
 * exchanges_done(), ACCESS until exchanges_admit(). -ENOMEM, errors of eventfd() and getrandom(): XS is good for
 * exchanges_abandon() and exchanges_done() alone.
 */
int exchanges_init(struct exchanges *xs, struct site *site, struct connections *connections,
	const struct access *access);

/* After the library has ended every connection. */
void exchanges_done(struct exchanges *xs);

/*
 * From now on ACCESS, borrowed until the next call or exchanges_done(), says who gets an answer, also of those who have
 * asked and have none yet.
 * May make a thread. -ENOMEM, errors of pthread_create(): it stays as it was.
 */
int exchanges_admit(struct exchanges *xs, const struct access *access);

/* Readable when exchanges_resume() has something to do; owned by XS. */
int exchanges_fd(const struct exchanges *xs);

/* Has the library go on with those whose passwords have been looked into. */
void exchanges_resume(struct exchanges *xs);

/* Has it go on with all others, too, known or not: before it is stopped, which has to follow. */
void exchanges_abandon(struct exchanges *xs);

/* What the library calls, with a struct exchanges: for MHD_OPTION_URI_LOG_CALLBACK, */
void *exchanges_on_target(void *exchanges, const char *target, struct MHD_Connection *connection);

/* as its access handler, */
enum MHD_Result exchanges_on_request(void *exchanges, struct MHD_Connection *connection,
	const char *url, const char *method, const char *version, const char *upload,
	size_t *upload_size, void **exchange);

/* and for MHD_OPTION_NOTIFY_COMPLETED. */
void exchanges_on_completed(void *exchanges, struct MHD_Connection *connection, void **exchange,
	enum MHD_RequestTerminationCode how);

#endif
