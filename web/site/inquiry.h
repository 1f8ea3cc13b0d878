/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Inquiries
 *
 * The questions to memtally-recorder and memtally-ledger for which a request waits.
 */
#ifndef MEMTALLY_WEB_SITE_INQUIRY_H
#define MEMTALLY_WEB_SITE_INQUIRY_H

#include <stdbool.h>

#include "web/history/history-inquiry.h"
#include "web/sources/recorder-link.h"

struct inquiry {
	struct history_inquiry *history;    /* owned; NULL: no history is asked for */
	struct recorder_question *question; /* owned; NULL: the recorder is not asked now */
	uint64_t end_ns; /* of a history: CLOCK_MONOTONIC when to ask the recorder no more */
};

/* Returns an empty inquiry; NULL: there is no memory. */
struct inquiry *inquiry_new(void);

/* Frees I, which waits nowhere. Accepts NULL; returns NULL. */
struct inquiry *inquiry_free(struct inquiry *i);

static inline void cleanup_inquiry(struct inquiry **i)
{
	inquiry_free(*i);
}
#define AUTO_INQUIRY CLEANUP(cleanup_inquiry)

/* Returns whether there is nothing more to wait for. */
bool inquiry_is_done(const struct inquiry *i);

/* Returns whether the answer takes so long that it needs a turn (site_take_turn()). */
static inline bool inquiry_needs_turn(const struct inquiry *i)
{
	return i->history;
}

/* Returns whether I keeps answers that need much memory. */
bool inquiry_is_large(const struct inquiry *i);

#endif
