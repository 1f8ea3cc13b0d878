/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Feed of the past
 *
 * Brings `memtally top` snapshots from memtally-recorder: the moments that the user goes to, and those
 * that growth and trends are made of. There is one question at a time, and no call waits for its
 * answer, so that keys never wait. Moments come before growth.
 */
#ifndef MEMTALLY_CLI_TOP_PAST_FEED_H
#define MEMTALLY_CLI_TOP_PAST_FEED_H

#include <poll.h>
#include <stdbool.h>
#include <stdint.h>

#include "cli/top/rows/top-state.h"
#include "snapshot/past-client.h"

/* How long an answer may take. */
#define PAST_FEED_WAIT_NS (5 * NS_PER_SEC)

enum {
	PAST_FEED_STEPS_MAX = 1000, /* steps that wait */
	PAST_FEED_ERROR_SIZE = 200,
};

/* The last event. */
enum past_feed_event {
	PAST_FEED_NOTHING,
	PAST_FEED_MOMENT,  /* .answer is of the moment that the user wants */
	PAST_FEED_PRESENT, /* the user wants to see the present, or has reached it */
	PAST_FEED_GROWTH, /* .answer is of a moment before the one of past_feed_grow(), or has none */
	PAST_FEED_FAILED, /* .error says why there is no such moment; the shown one stays */
};

struct past_feed {
	const char *path; /* borrowed; the socket of memtally-recorder */
	int fd;           /* -1: not connected */
	bool is_proven;   /* this connection has brought an answer */
	bool is_asked;    /* an answer is to come */
	bool is_growth;   /* it is for growth */
	bool is_stale;    /* it is of no use any more */
	struct past_request asked;
	uint64_t asked_ns; /* CLOCK_MONOTONIC of the question */

	enum top_step step; /* the wanted step; TOP_STEP_NONE: none */
	unsigned int steps; /* how many of them */
	uint64_t from_ns;   /* CLOCK_REALTIME of the snapshot that is shown */
	uint64_t time_ns;   /* of TOP_STEP_TIME */
	bool is_oom;        /* TOP_STEP_TIME: before the last OOM kill until .time_ns */

	uint64_t base_ns;   /* CLOCK_REALTIME of the snapshot for which growth is wanted */
	unsigned int grown; /* moments before it that were answered */

	struct past_answer answer; /* owned; the last one */
	char error[PAST_FEED_ERROR_SIZE];
};

/* Begins F for the recorder at PATH. It connects when there is a question. */
void past_feed_open(struct past_feed *f, const char *path);

/* Disconnects, and frees what F owns. */
void past_feed_close(struct past_feed *f);

/*
 * Wants STEP from the snapshot of FROM_NS, of CLOCK_REALTIME. Steps of the same kind that wait add up;
 * another kind replaces them. TEXT is the time of TOP_STEP_TIME: what when_parse_moment() takes
 * (base/when.h), or "oom". NOW_NS is CLOCK_REALTIME. Returns what past_feed_run() returns, without
 * having asked: PAST_FEED_PRESENT, PAST_FEED_FAILED, or PAST_FEED_NOTHING if the answer is to come.
 */
enum past_feed_event past_feed_go(struct past_feed *f, enum top_step step, const char *text,
	uint64_t from_ns, uint64_t now_ns);

/* Disconnects if nothing is wanted. The next question connects again. */
void past_feed_rest(struct past_feed *f);

/* Wants the moments that growth and trend of the snapshot of BASE_NS, of CLOCK_REALTIME, need. */
void past_feed_grow(struct past_feed *f, uint64_t base_ns);

/* Returns true if growth may have changed so far that it should be shown: not after each moment. */
bool past_feed_has_grown(const struct past_feed *f);

/* Returns true if steps of the user wait. */
bool past_feed_is_going(const struct past_feed *f);

/* Returns true if nothing is wanted. */
bool past_feed_is_idle(const struct past_feed *f);

/* Asks what is wanted, and receives what has come. NOW_NS is CLOCK_MONOTONIC. Returns what has happened. */
enum past_feed_event past_feed_run(struct past_feed *f, uint64_t now_ns);

/* Writes the descriptor to wait for to *RET. Returns false if there is none. */
bool past_feed_poll(const struct past_feed *f, struct pollfd *ret);

#endif
