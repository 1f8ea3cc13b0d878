/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Link to memtally-ledger
 *
 * Asks memtally-ledger at its socket for the ledger's part of inquiries, one step after the other,
 * and one inquiry after the other, without waiting: the caller polls. An inquiry gets what has come
 * within LEDGER_LINK_TIMEOUT_NS, and says in its .problem what is missing. memtally-ledger decides
 * which rows a uid may see (snapshot/usage.h).
 */
#ifndef MEMTALLY_WEB_HISTORY_LEDGER_LINK_H
#define MEMTALLY_WEB_HISTORY_LEDGER_LINK_H

#include <poll.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/clock.h"
#include "web/history/history-inquiry.h"

#define LEDGER_LINK_TIMEOUT_NS (2 * NS_PER_SEC) /* for an inquiry, from when it was added */

/* Inquiries that wait at a time, so that no caller takes all places. */
enum {
	LEDGER_LINK_WAITING_MAX = 16,
	LEDGER_LINK_OTHERS_MAX = 12, /* of callers that are not trusted */
	LEDGER_LINK_TCP_MAX = 4,     /* of all clients of TCP listeners */
	LEDGER_LINK_UID_MAX = 2,     /* of a uid that is not trusted */
};

struct ledger_link {
	int fd;                        /* connection of the first inquiry; -1: none */
	uint64_t retry_ns;             /* without .fd: CLOCK_MONOTONIC when to connect again */
	struct history_inquiry *first; /* borrowed; the next ones are linked by .next */
	size_t waiting;                /* inquiries in this list */
	/* The question of the first inquiry that is being answered. */
	bool has_asked;
	struct buffer answer; /* the part of the answer that has come */
	size_t size;          /* bytes of the whole answer; 0: not known yet */
};

#define LEDGER_LINK_CLOSED                                                                         \
	{                                                                                          \
		.fd = -1                                                                           \
	}

/* Disconnects. Inquiries that wait are finished as they are. */
void ledger_link_done(struct ledger_link *l);

/*
 * Adds I, which is not finished, and begins to ask the socket at PATH at NOW_NS (CLOCK_MONOTONIC).
 * I stays borrowed until it is finished (.is_done). Those of trusted callers come before others
 * that wait. If memtally-ledger does not run, or if too many inquiries wait, I is finished at once.
 */
void ledger_link_add(
	struct ledger_link *l, const char *path, struct history_inquiry *i, uint64_t now_ns);

/* Removes I, if it waits. */
void ledger_link_remove(struct ledger_link *l, struct history_inquiry *i);

/* Returns the event to wait for; its .fd is -1 if there is none. */
struct pollfd ledger_link_poll(const struct ledger_link *l);

/* Returns the CLOCK_MONOTONIC time at which ledger_link_run() is due; UINT64_MAX: never. */
uint64_t ledger_link_due_ns(const struct ledger_link *l);

/* Receives, asks, and finishes inquiries, as far as that is possible without waiting. */
void ledger_link_run(struct ledger_link *l, const char *path, uint64_t now_ns);

#endif
