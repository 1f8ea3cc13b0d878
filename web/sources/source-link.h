/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Link to a source of the past
 *
 * Asks another daemon at its socket for what requests wait for: one after the other, without
 * waiting itself: the caller polls. A request gets what has come within SOURCE_LINK_TIMEOUT_NS. Its
 * .problem says what is missing. The questions and answers are those of a struct source_protocol.
 */
#ifndef MEMTALLY_WEB_SOURCES_SOURCE_LINK_H
#define MEMTALLY_WEB_SOURCES_SOURCE_LINK_H

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/clock.h"
#include "web/net/caller.h"

#define SOURCE_LINK_TIMEOUT_NS (2 * NS_PER_SEC) /* for a request, from when it was added */

/* Requests that wait at a time, so that no caller takes all places. */
enum {
	SOURCE_LINK_WAITING_MAX = 16,
	SOURCE_LINK_OTHERS_MAX = 12, /* of callers that are not trusted */
	SOURCE_LINK_TCP_MAX = 4,     /* of all clients of TCP listeners */
	SOURCE_LINK_UID_MAX = 2,     /* of a uid that is not trusted */
};

enum {
	SOURCE_PROBLEM_SIZE = 320,
	SOURCE_DONE = 1, /* outcome of .take() */
};

/* A request that waits; it stands first in what a protocol asks for. */
struct source_wait {
	struct caller caller;              /* it takes a place of this one */
	uint64_t end_ns;                   /* CLOCK_MONOTONIC when to give up */
	bool is_done;                      /* there is nothing more to ask */
	bool is_absent;                    /* .problem: the daemon cannot be reached */
	bool is_partial;                   /* a part of the answer has come */
	char problem[SOURCE_PROBLEM_SIZE]; /* why the answer is not complete; empty: it is */
	struct source_wait *next;
};

struct source_link;

/* How to ask a daemon. Errors are negative errnos; -EAGAIN: not now. */
struct source_protocol {
	const char *name; /* of the daemon */
	/* Sends the next question of W over the connection of L. Returns 0 or an error. */
	int (*ask)(struct source_link *l, struct source_wait *w);
	/*
	 * Receives the answer. Returns 0: it is complete, and W has another question; SOURCE_DONE: W
	 * is answered, or has a problem; or an error.
	 */
	int (*take)(struct source_link *l, struct source_wait *w);
	/* Forgets the part of an answer that has come: the connection ends. NULL: nothing is kept. */
	void (*forget)(struct source_link *l);
	/* Returns the sentence for an error of .ask() or .take(). */
	const char *(*explain)(int error);
};

struct source_link {
	const struct source_protocol *protocol;
	int fd;                    /* connection of the first request; -1: none */
	uint64_t retry_ns;         /* without .fd: CLOCK_MONOTONIC when to connect again */
	struct source_wait *first; /* borrowed; the next ones are linked by .next */
	size_t waiting;            /* requests in this list */
	bool has_asked;            /* the question of the first one is being answered */
};

/* Disconnects. Requests that wait are finished as they are. */
void source_link_done(struct source_link *l);

/*
 * Adds W, which is not finished, and begins to ask the socket at PATH at NOW_NS (CLOCK_MONOTONIC).
 * W stays borrowed until it is finished (.is_done). Requests of trusted callers come before others
 * that wait. If the daemon does not run, or if too many requests wait, W is finished at once.
 */
void source_link_add(
	struct source_link *l, const char *path, struct source_wait *w, uint64_t now_ns);

/* Removes W, if it waits. */
void source_link_remove(struct source_link *l, struct source_wait *w);

/* Returns the event to wait for; its .fd is -1 if there is none. */
struct pollfd source_link_poll(const struct source_link *l);

/* Returns the CLOCK_MONOTONIC time at which source_link_run() is due; UINT64_MAX: never. */
uint64_t source_link_due_ns(const struct source_link *l);

/* Receives, asks, and finishes requests, as far as that is possible without waiting. */
void source_link_run(struct source_link *l, const char *path, uint64_t now_ns);

#endif
