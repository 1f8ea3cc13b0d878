/* SPDX-License-Identifier: Apache-2.0 */
/*
 * memtally-recorder's part of a history
 *
 * Points of the time before the ring's, from recorded snapshots. The host, or one row by its name,
 * is asked for as a series if the caller sees all rows; several rows are asked for as a snapshot for
 * each step. Pure.
 */
#ifndef MEMTALLY_WEB_HISTORY_RECORDER_PART_H
#define MEMTALLY_WEB_HISTORY_RECORDER_PART_H

#include <stdbool.h>
#include <stdint.h>

#include "web/history/history-query.h"
#include "web/history/history-sight.h"
#include "web/history/ring.h"
#include "web/sources/recorder-link.h"

enum {
	RECORDER_PART_SERIES_MAX = 300,   /* points of a series */
	RECORDER_PART_SNAPSHOTS_MAX = 60, /* each is a question */
};

struct recorder_part {
	/*
	 * Owned: a point for each snapshot; .length_ns is the step, or 60 or 300 s where snapshots are so
	 * far apart. Complete when the part is done.
	 */
	struct ring points;
	bool is_done; /* there is nothing more to ask */
	bool is_series;
	/*
	 * The time that is still to be asked for; CLOCK_REALTIME. Snapshots are asked for from the last
	 * one on: if the time does not suffice, the oldest ones are missing, which the ledger may have.
	 */
	uint64_t from_ns, to_ns;
	uint64_t step_ns, interval_ns; /* of the points; of snapshots */
	size_t asked;                  /* questions that have been answered */
	uint64_t userns; /* that of the uids of callers; snapshots with another one are left out */
	/* Owned: the points of snapshots that have come, each by itself, the last one first. */
	struct ring each[RECORDER_PART_SNAPSHOTS_MAX];
	size_t count;
	char problem[SOURCE_PROBLEM_SIZE]; /* why points may be missing; empty: none is */
	bool is_absent;                    /* memtally-recorder cannot be reached */
};

void recorder_part_done(struct recorder_part *p);

/*
 * Plans P, which is zeroed, for the time of Q before the first point of RING. INTERVAL_NS is that of
 * the last snapshot, which is of the user namespace USERNS. Nothing is asked for if RING has all.
 */
void recorder_part_plan(struct recorder_part *p, const struct history_query *q,
	const struct ring *ring, const struct history_sight *sight, uint64_t interval_ns,
	uint64_t userns);

/* Writes the next question for Q to *RET. P is not done. */
void recorder_part_next(
	const struct recorder_part *p, const struct history_query *q, struct past_request *ret);

/* Takes the answer to it. */
void recorder_part_take(struct recorder_part *p, const struct history_query *q,
	const struct recorder_question *answer);

/*
 * Makes the steps of P longer if the answers so far, which took SPENT_NS, are so slow that LEFT_NS do
 * not suffice for all others. P is not done.
 */
void recorder_part_hurry(struct recorder_part *p, uint64_t spent_ns, uint64_t left_ns);

/* Gives up for lack of time: P is done with what has come. */
void recorder_part_give_up(struct recorder_part *p);

#endif
