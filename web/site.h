/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What memtally-web has to say: from a request to an answer, whatever listener it came in by. It knows
 * the current snapshot and nothing of connections.
 */
#ifndef MEMTALLY_WEB_SITE_H
#define MEMTALLY_WEB_SITE_H

#include "config/option.h"
#include "web/answer.h"
#include "web/cache.h"
#include "web/caller.h"
#include "web/counters.h"
#include "snapshot/link.h"
#include "web/request.h"
#include "web/self.h"

struct site {
	struct cache cache;
	struct counters counters;
	struct self self;
	unsigned int turns;              /* for long lists (web/stream.h), in this round */
	const struct link *link;         /* borrowed */
	const struct settings *settings; /* borrowed; may be replaced */
};

void site_init(struct site *s, const struct link *link, const struct settings *settings);
void site_done(struct site *s);

/* Gives long lists their turns; once for each round of the loop. */
void site_begin_round(struct site *s);

/* The answer to RQ, sound and allowed, of CALLER's at NOW (CLOCK_BOOTTIME). NULL: out of memory. */
struct answer *site_answer(struct site *s, const struct request *rq, const struct caller *caller,
	uint64_t now_boottime_ns);

#endif
