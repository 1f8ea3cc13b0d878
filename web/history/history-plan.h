/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Plan of a history
 *
 * Decides which part of the time comes from memtally-web's ring and which from memtally-ledger, and
 * with which steps, so that there are at most HISTORY_POINTS_MAX points. Pure.
 */
#ifndef MEMTALLY_WEB_HISTORY_PLAN_H
#define MEMTALLY_WEB_HISTORY_PLAN_H

#include <stdbool.h>
#include <stdint.h>

#include "web/history/history-query.h"
#include "web/history/ring.h"

enum {
	HISTORY_POINTS_MAX = 1000,
	HISTORY_LEDGER_POINTS_MAX = 150, /* each is a question to memtally-ledger */
	HISTORY_LEDGER_STEP_S = 300,     /* the finest slots of the ledger */
};

struct history_plan {
	/*
	 * The ledger's part: steps of .ledger_step_s that begin from .ledger_from_s to before
	 * .ledger_to_s, seconds since the epoch. Empty if both are equal.
	 */
	int64_t ledger_from_s, ledger_to_s;
	int64_t ledger_end_s; /* no step lasts longer, so that it does not overlap the ring's part */
	uint32_t ledger_step_s;
	/*
	 * The ring's part: points from .web_from_ns to before .web_to_ns (CLOCK_REALTIME). Empty if
	 * both are equal.
	 */
	uint64_t web_from_ns, web_to_ns;
	uint32_t web_step_s;   /* steps begin at .web_from_ns; 0: each point is a step */
	uint32_t resolution_s; /* of the ring's part, for people: its step or the interval */
	/* Neither ring reaches back to the beginning, whether or not the ledger is asked. */
	bool lacks_past;
};

/*
 * Returns true if a gap of the ring, a time without snapshots, is between the points P and NEXT.
 */
bool history_plan_has_gap(const struct ring_point *p, const struct ring_point *next);

/*
 * Makes the plan for Q. RECORDER has the points of memtally-recorder, all of them before those of
 * RING. HAS_LEDGER: time before the points of both may come from the ledger. Steps
 * are at least as long as the source's resolution; if they are raised, to a number of seconds from a
 * fixed list. Steps are aligned to multiples of their length since the epoch.
 */
void history_plan_make(const struct history_query *q, const struct ring *ring,
	const struct ring *recorder, bool has_ledger, struct history_plan *ret);

#endif
