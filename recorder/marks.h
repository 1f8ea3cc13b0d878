/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Marks of recorded snapshots
 *
 * Compares each snapshot with the one recorded before it, and says what is special about it
 * (enum past_mark). Pure.
 */
#ifndef MEMTALLY_RECORDER_MARKS_H
#define MEMTALLY_RECORDER_MARKS_H

#include <stdbool.h>
#include <stdint.h>

#include "snapshot/view.h"

/* The last recorded snapshot, as far as marks need it. Starts zeroed. */
struct marks {
	bool has_last;
	uint8_t instance[IMAGE_INSTANCE_SIZE];
	uint64_t sequence, realtime_ns, boottime_ns, interval_ns;
	bool has_kills;
	uint64_t kills; /* OOM kills of the host since its start */
};

/* Returns whether VIEW is the last snapshot of M, or one that memtallyd published before it. */
bool marks_is_known(const struct marks *m, const struct view *view);

/*
 * Returns the number of snapshots that the same memtallyd has published between the last one of M and
 * VIEW. Across a restart of memtallyd: 0.
 */
uint64_t marks_lost(const struct marks *m, const struct view *view);

/* Returns the marks of VIEW, of enum past_mark. */
uint32_t marks_of(const struct marks *m, const struct view *view);

/* Makes VIEW the last snapshot of M. */
void marks_remember(struct marks *m, const struct view *view);

#endif
