/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Client of memtally-recorder's socket
 */
#ifndef MEMTALLY_SNAPSHOT_PAST_CLIENT_H
#define MEMTALLY_SNAPSHOT_PAST_CLIENT_H

#include "base/buffer.h"
#include "snapshot/past.h"
#include "snapshot/view.h"

struct past_answer {
	struct past_head head;
	struct view *view;               /* owned; NULL: the answer has no snapshot */
	struct buffer bytes;             /* the answer's message */
	const struct past_point *points; /* .head.points of them, in .bytes */
};

/* Frees what A owns. Accepts a zeroed A. */
void past_answer_done(struct past_answer *a);
#define AUTO_PAST_ANSWER CLEANUP(past_answer_done)

/*
 * Connects to the socket at PATH. The caller closes *RET_FD, which does not block. Returns 0 or an
 * error of channel_connect().
 */
int past_connect(const char *path, int *ret_fd);

/*
 * Asks R over FD and waits for the answer, at most for TIMEOUT_MS. The caller gives *RET to
 * past_answer_done(), also after an error. Returns 0, also if .head.status is not PAST_GOOD;
 * -ETIMEDOUT; -ECONNRESET if memtally-recorder closed the connection; -EPROTO if it has another
 * version; -EBADMSG if the answer is invalid; or an error of view_open(). After an error *RET_REASON
 * (static) says why, and the connection is of no more use.
 */
int past_ask(int fd, const struct past_request *r, int timeout_ms, struct past_answer *ret,
	const char **ret_reason);

/*
 * Waits for the answer to the question that was sent over FD, at most for TIMEOUT_MS; it may be called
 * again after -ETIMEDOUT. Returns as past_ask().
 */
int past_wait(int fd, int timeout_ms, struct past_answer *ret, const char **ret_reason);

/* Sends the question R over FD, without waiting. Returns 0 or a negative errno of send(). */
int past_send(int fd, const struct past_request *r);

/*
 * Receives an answer from FD without waiting. Returns 0; 1: it has not come yet; or an error of
 * past_ask().
 */
int past_receive(int fd, struct past_answer *ret, const char **ret_reason);

#endif
