/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Link to memtally-recorder
 *
 * Asks memtally-recorder at its socket (snapshot/past.h), without waiting. A few snapshots that have
 * come are kept, so that the parts of a page, which ask for the same moment, cost one question.
 * memtally-recorder decides which rows a uid may see.
 */
#ifndef MEMTALLY_WEB_SOURCES_RECORDER_LINK_H
#define MEMTALLY_WEB_SOURCES_RECORDER_LINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "snapshot/past-client.h"
#include "web/sources/source-link.h"

enum {
	RECORDER_LINK_KEPT = 4,
	RECORDER_LINK_KEPT_BYTES = 32 << 20, /* of all kept images */
};

/* How long the newest snapshot is kept: soon there is a newer one. */
#define RECORDER_LINK_NEWEST_NS NS_PER_SEC

/* A question that waits, and its answer. */
struct recorder_question {
	struct source_wait wait; /* .problem: there is no answer */
	struct past_request request;
	bool is_single;        /* one of many moments: its snapshot is not kept for others */
	struct past_head head; /* of the answer */
	struct view *view;     /* owned reference; NULL: the answer has no snapshot */
	struct buffer bytes;   /* owned */
	const struct past_point *points; /* .head.points of them, in .bytes */
};

/* A snapshot that is kept for further questions. */
struct recorder_kept {
	struct past_request request; /* the question; .at_ns is the latest time with this answer */
	struct past_head head;
	struct view *view; /* owned reference; NULL: free */
	uint64_t until_ns; /* CLOCK_MONOTONIC when it is no longer of use; UINT64_MAX: never */
	uint64_t used;     /* number of the last use */
};

struct recorder_link {
	struct source_link link;
	struct recorder_kept kept[RECORDER_LINK_KEPT];
	uint64_t uses;
	uint64_t now_ns; /* CLOCK_MONOTONIC of the present call */
};

/* Begins L without a connection. */
void recorder_link_init(struct recorder_link *l);

/* Disconnects, and drops what is kept. */
void recorder_link_done(struct recorder_link *l);

/*
 * Returns a new question R of CALLER, which is not asked yet. It is asked for what CALLER may see.
 * NULL: there is no memory.
 */
struct recorder_question *recorder_question_new(
	const struct caller *caller, const struct past_request *r);
struct recorder_question *recorder_question_free(struct recorder_question *q); /* accepts NULL */

/*
 * Adds Q, as source_link_add() does for its .wait, unless the answer is kept: then Q is finished.
 */
void recorder_link_add(
	struct recorder_link *l, const char *path, struct recorder_question *q, uint64_t now_ns);

/* Goes on, as source_link_run(). */
void recorder_link_run(struct recorder_link *l, const char *path, uint64_t now_ns);

#endif
