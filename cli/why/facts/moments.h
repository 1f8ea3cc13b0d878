/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Snapshots around an event
 *
 * The recorded snapshots that `memtally why` compares: those of the minutes before the event, and
 * the first ones that show it.
 */
#ifndef MEMTALLY_CLI_WHY_FACTS_MOMENTS_H
#define MEMTALLY_CLI_WHY_FACTS_MOMENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "snapshot/view.h"

enum { MOMENTS_BEFORE_MAX = 24, MOMENTS_AFTER_MAX = 12 };

struct moments {
	/* Borrowed, oldest first, each later than the one before it. */
	const struct view *before[MOMENTS_BEFORE_MAX], *after[MOMENTS_AFTER_MAX];
	size_t befores; /* at least 1 */
	size_t afters;  /* may be 0: there was no later snapshot */
};

/* Returns the last snapshot before the event. */
static inline const struct view *moments_last(const struct moments *m)
{
	return m->before[m->befores - 1];
}

/* Returns when VIEW was made, in nanoseconds since the epoch. */
static inline uint64_t moments_time_ns(const struct view *view)
{
	return view->header->realtime_ns;
}

/*
 * Returns true if the host started after the last snapshot before the event: counters of the kernel
 * began again.
 */
static inline bool moments_is_reboot(const struct moments *m)
{
	return m->afters &&
	       m->after[m->afters - 1]->header->boottime_ns < moments_last(m)->header->boottime_ns;
}

#endif
