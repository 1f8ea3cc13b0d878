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
#include "web/history/ring.h"
#include "web/http/request.h"
#include "web/net/caller.h"
#include "web/site/answer.h"
#include "web/site/cache.h"
#include "web/site/counters.h"
#include "web/site/self.h"

struct site {
	struct cache cache;
	struct ring ring; /* of the last hour */
	struct counters counters;
	struct self self;
	unsigned int turns;              /* long lists that may still begin in this round */
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
 * Allows long lists to begin again, a limited number of them. Call it once in each round of the
 * loop.
 */
void site_begin_round(struct site *s);

/*
 * Returns the answer to RQ of CALLER at NOW_BOOTTIME_NS. RQ must be sound and allowed
 * (web/http/request.h). The caller owns the answer. NULL if there is no memory.
 */
struct answer *site_answer(struct site *s, const struct request *rq, const struct caller *caller,
	uint64_t now_boottime_ns);

#endif
