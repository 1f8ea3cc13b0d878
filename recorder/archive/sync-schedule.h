/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decides when records are synchronized with the disk. Times are CLOCK_MONOTONIC. Pure.
 */
#ifndef MEMTALLY_RECORDER_ARCHIVE_SYNC_SCHEDULE_H
#define MEMTALLY_RECORDER_ARCHIVE_SYNC_SCHEDULE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/saturate.h"

/* Zeroed: all is synchronized. */
struct sync_schedule {
	bool is_waiting; /* there is something to synchronize */
	uint64_t due_ns;
};

/* Something was written at NOW_NS that may wait for DELAY_NS. */
static inline void sync_schedule_add(struct sync_schedule *s, uint64_t now_ns, uint64_t delay_ns)
{
	uint64_t due_ns = saturate_add(now_ns, delay_ns);

	s->due_ns = s->is_waiting ? saturate_min(s->due_ns, due_ns) : due_ns;
	s->is_waiting = true;
}

/* Returns when to synchronize next; UINT64_MAX: there is nothing to synchronize. */
static inline uint64_t sync_schedule_due_ns(const struct sync_schedule *s)
{
	return s->is_waiting ? s->due_ns : UINT64_MAX;
}

#endif
