/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where questions are put: the ledger's own socket and who is connected to it. Each may ask one question after the
 * other, and is answered before the next is read; who does neither ask nor read for a while is let go. Time in which
 * his question would not have been read is not counted.
 *
 * Who sees all is answered first. Strangers share a part of the time: what an answer takes is followed by three times
 * as long in which none of theirs is made. They take turns by uid: next is that of the uid that has waited longest, and
 * behind an answer the uid that got it begins to wait when the pause is over that it has caused, on whatever connections
 * it comes.
 */
#ifndef MEMTALLY_LEDGER_DESK_H
#define MEMTALLY_LEDGER_DESK_H

#include <poll.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"
#include "ledger/reader.h"
#include "snapshot/usage.h"

enum {
	DESK_CLIENTS_MAX = 16,
	DESK_CLIENTS_EACH = 4, /* of a user who does not see all */
	DESK_POLLS = DESK_CLIENTS_MAX + 1,
};

/* Makes the answer to REQUEST, of READER, in TO; NULL: what was asked is no question. */
typedef void desk_answer(void *context, const struct usage_request *request,
	const struct store_reader *reader, struct buffer *to);

struct desk_client {
	int fd;
	uid_t uid;
	struct store_reader reader;
	struct buffer answer;
	size_t sent;   /* bytes of the answer */
	bool is_last;  /* nothing more is read of him */
	bool is_tried; /* a stranger: whether he has something to ask was looked for in this run */
	uint64_t waits_ns;  /* a stranger: CLOCK_MONOTONIC since when his uid waits for its turn */
	uint64_t looked_ns; /* CLOCK_MONOTONIC when he did something last, or was found not to */
	uint64_t idle_ns;   /* for how long until then it was up to him, and he did nothing */
};

struct desk {
	int listen_fd; /* owned; listening, does not block */
	const struct reader_rules *rules;
	struct desk_client client[DESK_CLIENTS_MAX];
	size_t clients;
	uint64_t strangers_ns; /* CLOCK_MONOTONIC from when on strangers are answered */
	uid_t last_uid;        /* of the stranger who was answered last */
	uint64_t retry_ns;     /* there were no descriptors: nobody is let in until then */
};

/* LISTEN_FD is consumed, RULES are borrowed. */
void desk_init(struct desk *d, int listen_fd, const struct reader_rules *rules);
void desk_done(struct desk *d);

/* What to wait for, at NOW (CLOCK_MONOTONIC); how many. */
size_t desk_poll(const struct desk *d, uint64_t now_ns, struct pollfd to[static DESK_POLLS]);

/* When, from NOW on, desk_run() or another desk_poll() is due without an event; UINT64_MAX: never. */
uint64_t desk_due_ns(const struct desk *d, uint64_t now_ns);

/* Lets in, reads, answers and sends, as far as it goes without waiting; at most one question of each. */
void desk_run(struct desk *d, uint64_t now_ns, desk_answer *answer, void *context);

#endif
