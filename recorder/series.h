/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Series of points: one quantity of one row in recorded snapshots. Pure.
 */
#ifndef MEMTALLY_RECORDER_SERIES_H
#define MEMTALLY_RECORDER_SERIES_H

#include <stdint.h>

#include "snapshot/past.h"
#include "snapshot/sight.h"
#include "snapshot/view.h"

/*
 * Moves *FROM_NS and *UNTIL_NS into the time from FIRST_NS to LAST_NS, for which there are
 * snapshots.
 */
void series_clamp(uint64_t first_ns, uint64_t last_ns, uint64_t *from_ns, uint64_t *until_ns);

/*
 * Returns the least step of at least STEP_NS with which the time from FROM_NS to UNTIL_NS has at most
 * PAST_POINTS_MAX spans, counted from the epoch; 0: all snapshots.
 */
uint64_t series_step_ns(uint64_t from_ns, uint64_t until_ns, uint64_t step_ns);

/*
 * Writes to *RET the quantity that R, a question with PAST_SERIES, asks for, as it is in VIEW. With a
 * PSS come its bounds. If there is no such row, or SIGHT does not let it be seen, or it lacks the
 * quantity, the value is absent. With SIGHT_OWN the sums of the host, of that user, and of its user
 * units, sessions and containers are seen; with SIGHT_NONE those of the host. Leaves .at_ns and .marks zero.
 */
void series_point(const struct view *view, const struct past_request *r, const struct sight *sight,
	struct past_point *ret);

/*
 * Adds POINT behind the *COUNT points at TO, unless there are PAST_POINTS_MAX, or its time is not later
 * than that of the last one.
 */
void series_add(struct past_point *to, uint32_t *count, const struct past_point *point);

#endif
