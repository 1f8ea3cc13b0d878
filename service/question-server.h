/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The server on the socket of a service that answers questions. A client asks one question after
 * another; the next is read when the last is answered. A client that neither asks nor reads for 10 s
 * is disconnected; time in which its question would not have been read does not count.
 *
 * Trusted clients are answered first. All other clients are called strangers, and so is memtally-web,
 * which sees all rows, but asks for clients of its own and names their uid in its questions. After an
 * answer to a stranger, or a part of one, strangers wait for three times as long as that took. They
 * take turns by uid: next is the uid that has waited longest. A uid that got an answer begins to wait
 * when the pause after it ends, on all of its connections.
 */
#ifndef MEMTALLY_SERVICE_QUESTION_SERVER_H
#define MEMTALLY_SERVICE_QUESTION_SERVER_H

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/buffer.h"
#include "base/os/peer.h"

enum {
	QUESTION_SERVER_CLIENTS_MAX = 16,
	QUESTION_SERVER_CLIENTS_EACH = 4, /* connections of one uid that is a stranger */
	QUESTION_SERVER_POLLS = QUESTION_SERVER_CLIENTS_MAX + 1,
	QUESTION_SIZE_MAX = 4096, /* of a question, in bytes */
};

/* The uid of a client without one, or of none. */
#define QUESTION_NO_UID UINT32_MAX

/* Which rows a client may see. */
struct question_reader {
	bool sees_all;
	uint32_t uid; /* if not .sees_all: those of this uid; QUESTION_NO_UID: none */
};

/* One question. */
struct question {
	const void *data;
	size_t len;      /* at most QUESTION_SIZE_MAX; 0: it was longer */
	bool is_trusted; /* the client is PEER_TRUSTED */
	uint32_t uid;    /* of the client */
	struct question_reader reader;
};

/* The answer to a question. */
struct question_reply {
	struct buffer bytes; /* empty at first; with .error set the client is disconnected */
	int fd;              /* to be sent with the bytes; -1: none. The server closes it. */
	bool is_last;        /* disconnect the client after this answer */
	void *job;           /* of an answer that is not complete: what goes on; NULL: it is */
};

/*
 * Whether the client that sees the rows of OWN may ask in the name of UID, if HAS_UID. If so, writes
 * the rows that the answer may have to *RET.
 */
bool question_narrow(
	const struct question_reader *own, bool has_uid, uint32_t uid, struct question_reader *ret);

/* The answers of a service. Constant. */
struct question_service {
	size_t message_max; /* bytes; a longer answer is sent as several messages */
	/* Writes the answer to Q into REPLY, or begins it and sets .job. */
	void (*answer)(void *context, const struct question *q, struct question_reply *reply);
	/*
	 * Goes on with .job of REPLY for a few milliseconds. Sets it to NULL when the answer is
	 * complete. NULL: answers are always complete.
	 */
	void (*go_on)(void *context, struct question_reply *reply);
	/* Frees JOB after its client has gone. */
	void (*drop)(void *job);
};

struct question_client {
	int fd;
	uint32_t uid;
	bool is_trusted;               /* PEER_TRUSTED; otherwise it is a stranger */
	struct question_reader reader; /* which rows it may see */
	struct question_reply reply;   /* the answer that is made or sent; empty: none */
	size_t sent;                   /* bytes of the answer that are sent */
	bool is_tried;                 /* of a stranger: it had its turn in this run */
	/* Of a stranger: CLOCK_MONOTONIC since when its uid waits for its turn. */
	uint64_t waits_ns;
	uint64_t checked_ns; /* CLOCK_MONOTONIC of the last check for activity */
	uint64_t idle_ns; /* ns for which it was the client's turn until then, and it did nothing */
};

struct question_server {
	int listen_fd; /* owned; a listening socket that does not block */
	const struct peer_rules *rules;
	const struct question_service *service;
	void *context; /* of the service */
	uid_t web;     /* user memtally-web; -1: none. The caller may set it. */
	struct question_client client[QUESTION_SERVER_CLIENTS_MAX];
	size_t clients;
	uint64_t strangers_ns; /* CLOCK_MONOTONIC when the pause for strangers ends */
	uint32_t last_uid;     /* uid of the stranger that was answered last */
	/* CLOCK_MONOTONIC until which no connection is accepted, after accept4() failed; 0: none */
	uint64_t retry_ns;
};

/* Initializes S without clients. LISTEN_FD is consumed; RULES, SERVICE and CONTEXT are borrowed. */
void question_server_init(struct question_server *s, int listen_fd, const struct peer_rules *rules,
	const struct question_service *service, void *context);

/* Disconnects all clients and closes the listening socket. */
void question_server_done(struct question_server *s);

/* Writes to TO the events to wait for at NOW_NS (CLOCK_MONOTONIC). Returns their number. */
size_t question_server_poll(const struct question_server *s, uint64_t now_ns,
	struct pollfd to[static QUESTION_SERVER_POLLS]);

/*
 * Returns the CLOCK_MONOTONIC time at which question_server_run() and a new question_server_poll()
 * are due even without an event; UINT64_MAX: never.
 */
uint64_t question_server_due_ns(const struct question_server *s, uint64_t now_ns);

/*
 * Accepts connections, reads questions, has them answered, and sends answers, all without waiting.
 * Answers at most one question of each client, or goes on once with its answer.
 */
void question_server_run(struct question_server *s, uint64_t now_ns);

#endif
