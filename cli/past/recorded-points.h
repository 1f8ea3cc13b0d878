/* SPDX-License-Identifier: Apache-2.0 */
/* Points of one row from memtally-recorder, and fewer of them. */
#ifndef MEMTALLY_CLI_PAST_RECORDED_POINTS_H
#define MEMTALLY_CLI_PAST_RECORDED_POINTS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buffer.h"
#include "cli/common/past-session.h"
#include "snapshot/past.h"

/* Starts zeroed. */
struct recorded_points {
	struct past_point *point; /* owned; by ascending .at_ns */
	size_t points, room;
	bool has_damaged;      /* snapshots were left out because they are damaged */
	bool is_own_only;      /* memtally-recorder hides rows of other users */
	struct past_head head; /* of the recording, as soon as memtally-recorder has answered */
};

/* Frees what P owns. */
void recorded_points_done(struct recorded_points *p);
#define AUTO_RECORDED_POINTS CLEANUP(recorded_points_done)

/*
 * Adds to P all snapshots of the time that Q, a question with PAST_SERIES, asks for. If there are
 * several thousand, they are some seconds apart at least. A mark of a snapshot that is left out is
 * added to the next one. Damaged snapshots are left out, with some beside them; the next point gets
 * PAST_MARK_GAP. Returns as past_session_ask(); -EIO if there are only damaged ones.
 */
int recorded_points_ask(struct past_session *session, const struct past_request *q,
	struct recorded_points *p, struct buffer *reason);

/*
 * Leaves at most about MAX of the points of P, one for each part of the time from the first to the
 * last: the largest of the part, with the marks of all. The first and the last point stay, and so
 * does each point with an OOM kill. Pure.
 */
void recorded_points_thin(struct recorded_points *p, size_t max);

#endif
