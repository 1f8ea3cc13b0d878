/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Questions to memtally-recorder
 *
 * Snapshots and series of the past for the terminal program, from memtally-recorder. Functions that
 * fail append a sentence for the user to REASON.
 */
#ifndef MEMTALLY_CLI_COMMON_PAST_SESSION_H
#define MEMTALLY_CLI_COMMON_PAST_SESSION_H

#include "base/buffer.h"
#include "base/cleanup.h"
#include "cli/common/past-files.h"
#include "cli/common/past-moment.h"
#include "config/settings.h"
#include "snapshot/past-client.h"

struct past_session {
	const struct settings *settings; /* borrowed */
	int fd;                          /* of memtally-recorder's socket; -1: closed */
	struct past_files *files;        /* owned; NULL: .fd is open, or nothing */
	bool has_warned;                 /* that recording fails */
	/* How long to wait for an answer: until a message says so, and then until it is an error. */
	int quiet_ms, wait_ms;
};

#define PAST_SESSION_CLOSED ((struct past_session){.fd = -1})

/*
 * Connects to memtally-recorder, at the socket that SETTINGS say. If it does not listen, opens its
 * files, if the user may read them, and logs that; if SETTINGS name a directory as an option, only
 * opens its files. SETTINGS stay borrowed until past_session_close(). Returns 0, or an error of
 * past_connect() or past_files_open().
 */
int past_session_open(
	const struct settings *settings, struct past_session *ret, struct buffer *reason);

/* Closes R. Accepts a closed R. */
void past_session_close(struct past_session *r);
#define AUTO_PAST_SESSION CLEANUP(past_session_close)

/*
 * Asks memtally-recorder which time is recorded, for a moment only, and writes the head of the answer
 * to *RET. Logs nothing. Returns false if there is no answer at once.
 */
bool past_session_peek(const struct settings *settings, struct past_head *ret);

/*
 * Asks Q, which the caller has filled in, and waits for the answer. While memtally-recorder is busy,
 * asks again for some seconds. Logs a warning, once, if recording fails at present. The caller gives *RET to past_answer_done(), also after an error.
 * Returns 0 if the answer is PAST_GOOD; -ENODATA for PAST_NONE; -EIO for PAST_DAMAGED; -EBUSY; or
 * an error of past_ask().
 */
int past_session_ask(struct past_session *r, const struct past_request *q, struct past_answer *ret,
	struct buffer *reason);

/* Asks for the snapshot at MOMENT. Returns as past_session_ask(); after 0, *RET has a snapshot. */
int past_session_get(struct past_session *r, const struct past_moment *moment,
	struct past_answer *ret, struct buffer *reason);

/*
 * Writes the time of MOMENT to *RET_NS (CLOCK_REALTIME): of an OOM kill that of the snapshot before
 * it, which takes a question. Returns as past_session_get().
 */
int past_session_find(struct past_session *r, const struct past_moment *moment, uint64_t *ret_ns,
	struct buffer *reason);

/*
 * Appends the time that the recording with HEAD covers: "2026-11-20 08:00:00 to now". It ends now if
 * its last snapshot is at most two minutes older than NOW_NS (CLOCK_REALTIME). Pure.
 */
void past_session_add_coverage(const struct past_head *head, uint64_t now_ns, struct buffer *to);

/* Appends NS (CLOCK_REALTIME) as local time. Pure except for TZ. */
void past_session_add_time(uint64_t ns, struct buffer *to);

/*
 * Appends why there is no snapshot for Q: the answer has HEAD, with PAST_NONE. NOW_NS is the present
 * (CLOCK_REALTIME). Pure.
 */
void past_session_add_absence(const struct past_request *q, const struct past_head *head,
	uint64_t now_ns, struct buffer *to);

#endif
