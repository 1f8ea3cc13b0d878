/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The server on the ledger's socket. A client asks one question after another; the next is read
 * when the last is answered. A client that neither asks nor reads for 10 s is disconnected; time in
 * which its question would not have been read does not count.
 *
 * Trusted clients are answered first. All other clients are called strangers, and so is memtally-web,
 * which sees all rows, but asks for clients of its own and names their uid in its questions. After an
 * answer to a stranger, strangers wait for three times as long as that answer took. They take turns
 * by uid: next is the uid that has waited longest. A uid that got an answer begins to wait when the
 * pause after it ends, on all of its connections.
 */
#ifndef MEMTALLY_LEDGER_USAGE_SERVER_H
#define MEMTALLY_LEDGER_USAGE_SERVER_H

#include <poll.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/os/peer.h"
#include "ledger/store/store.h"
#include "snapshot/usage.h"

enum {
	USAGE_SERVER_CLIENTS_MAX = 16,
	USAGE_SERVER_CLIENTS_EACH = 4, /* connections of one uid that is a stranger */
	USAGE_SERVER_POLLS = USAGE_SERVER_CLIENTS_MAX + 1,
};

/*
 * Appends the answer to REQUEST to TO, which is empty, with the rows that READER may see. REQUEST
 * is NULL if the question was malformed, or named another uid than a stranger's own. If TO->error is
 * set afterwards, the client is disconnected.
 */
typedef void usage_server_answer(void *context, const struct usage_request *request,
	const struct store_reader *reader, struct buffer *to);

struct usage_server_client {
	int fd;
	uid_t uid;
	bool is_trusted;            /* PEER_TRUSTED; otherwise it is a stranger */
	struct store_reader reader; /* which rows it may see */
	struct buffer answer;       /* the answer that is being sent; empty: none */
	size_t sent;                /* bytes of the answer that are sent */
	bool is_last;               /* disconnect after this answer */
	bool is_tried;              /* of a stranger: its socket was read in this run */
	/* Of a stranger: CLOCK_MONOTONIC since when its uid waits for its turn. */
	uint64_t waits_ns;
	uint64_t checked_ns; /* CLOCK_MONOTONIC of the last check for activity */
	uint64_t idle_ns; /* ns for which it was the client's turn until then, and it did nothing */
};

struct usage_server {
	int listen_fd; /* owned; a listening socket that does not block */
	const struct peer_rules *rules;
	uid_t web; /* user memtally-web; -1: none. The caller may set it. */
	struct usage_server_client client[USAGE_SERVER_CLIENTS_MAX];
	size_t clients;
	uint64_t strangers_ns; /* CLOCK_MONOTONIC when the pause for strangers ends */
	uid_t last_uid;        /* uid of the stranger that was answered last */
	/* CLOCK_MONOTONIC until which no connection is accepted, after accept4() failed; 0: none */
	uint64_t retry_ns;
};

/* Initializes S without clients. LISTEN_FD is consumed, RULES are borrowed. */
void usage_server_init(struct usage_server *s, int listen_fd, const struct peer_rules *rules);

/* Disconnects all clients and closes the listening socket. */
void usage_server_done(struct usage_server *s);

/* Writes to TO the events to wait for at NOW_NS (CLOCK_MONOTONIC). Returns their number. */
size_t usage_server_poll(
	const struct usage_server *s, uint64_t now_ns, struct pollfd to[static USAGE_SERVER_POLLS]);

/*
 * Returns the CLOCK_MONOTONIC time at which usage_server_run() and a new usage_server_poll() are
 * due even without an event; UINT64_MAX: never.
 */
uint64_t usage_server_due_ns(const struct usage_server *s, uint64_t now_ns);

/*
 * Accepts connections, reads questions, calls ANSWER with CONTEXT for each, and sends answers, all
 * without waiting. Answers at most one question of each client.
 */
void usage_server_run(
	struct usage_server *s, uint64_t now_ns, usage_server_answer *answer, void *context);

#endif
