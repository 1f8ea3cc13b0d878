/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Site
 *
 * Makes the answer to each request, the same for every listener. It knows the current snapshot, and
 * nothing about connections.
 */
#ifndef MEMTALLY_WEB_SITE_SITE_H
#define MEMTALLY_WEB_SITE_SITE_H

#include "config/option.h"
#include "snapshot/link.h"
#include "web/history/ledger-link.h"
#include "web/history/ring.h"
#include "web/http/request.h"
#include "web/net/caller.h"
#include "web/site/answer.h"
#include "web/site/cache.h"
#include "web/site/inquiry.h"
#include "web/own/counters.h"
#include "web/own/self.h"
#include "web/sources/growth-counts.h"

/*
 * Histories and snapshots of the past that are not sent yet have at most this many bytes and one of
 * them; those of one place (struct caller) half as many. Otherwise there are no new ones. Clients that
 * do not read cost no more memory, and leave some for others.
 */
#define SITE_PAST_BYTES_MAX ((size_t)32 << 20)

struct site {
	struct cache cache;
	struct ring ring; /* of the last hour */
	struct ledger_link ledger;
	struct recorder_link recorder;
	struct growth_counts growth;
	/* Of histories and of past snapshots that are not sent yet, by the place of their callers */
	size_t past_bytes[CALLER_PLACES];
	struct counters counters;
	struct self self;
	unsigned int turns;              /* long lists that may still begin in this round */
	unsigned int past_turns;         /* histories that may still be rendered in this round */
	const struct link *link;         /* borrowed */
	const struct settings *settings; /* borrowed; the caller may replace it */
};

/*
 * Begins S without a snapshot. LINK is the connection to memtallyd, for the status. LINK and
 * SETTINGS stay borrowed until site_done().
 */
void site_init(struct site *s, const struct link *link, const struct settings *settings);
/* Drops the snapshot, all cached bodies, and the points of the past. */
void site_done(struct site *s);

/*
 * Replaces the snapshot by VIEW, takes over the caller's reference to it, and adds a point to the
 * ring. Without memory the point is missing.
 */
void site_take(struct site *s, struct view *view);

/*
 * Allows long lists to begin again, and histories to be rendered, a limited number of them. Call it
 * once in each round of the loop.
 */
void site_begin_round(struct site *s);

/* Takes a turn to answer a request with an inquiry. Returns false if this round has none left. */
bool site_take_turn(struct site *s);

/*
 * Begins to ask memtally-recorder or memtally-ledger at NOW_MONOTONIC_NS if the answer to RQ of
 * CALLER needs that. RQ is as for site_answer(). Returns the inquiry, which the caller gives to
 * site_answer() when it is done (inquiry_is_done()), and to site_forget(); NULL: there is nothing to
 * wait for.
 */
struct inquiry *site_inquire(struct site *s, const struct request *rq, const struct caller *caller,
	uint64_t now_monotonic_ns);

/*
 * Asks the next question of I at NOW_MONOTONIC_NS, if the one before has been answered. Call it after
 * site_ask() for each inquiry that waits.
 */
void site_continue(struct site *s, struct inquiry *i, uint64_t now_monotonic_ns);

/* Goes on to ask. Call it when .ledger or .recorder is due, or their events have come. */
void site_ask(struct site *s, uint64_t now_monotonic_ns);

/*
 * Takes and asks for the verdicts on growth, if that is due at NOW_MONOTONIC_NS. Call it after
 * site_ask().
 */
void site_count_growth(struct site *s, uint64_t now_monotonic_ns);

/* Frees INQUIRY, which may be NULL and need not be done. */
void site_forget(struct site *s, struct inquiry *inquiry);

/*
 * Returns the answer to RQ of CALLER at NOW_BOOTTIME_NS. RQ must be sound and allowed
 * (web/http/request.h). INQUIRY is that of site_inquire(). The caller owns the answer. NULL if there
 * is no memory.
 */
struct answer *site_answer(struct site *s, const struct request *rq, const struct caller *caller,
	const struct inquiry *inquiry, uint64_t now_boottime_ns);

#endif
