/* SPDX-License-Identifier: Apache-2.0 */
/*
 * CPU time and page faults that a process adds in each pass to the counters of its owners.
 *
 * A process that was there before the first pass adds nothing by its first reading; a later one adds
 * all that it has done since its start. What a process does between its last reading and its exit is
 * not seen. Pure.
 */
#ifndef MEMTALLY_COLLECTORS_PROCESS_STATE_ACTIVITY_H
#define MEMTALLY_COLLECTORS_PROCESS_STATE_ACTIVITY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/saturate.h"

enum activity_state {
	ACTIVITY_RUNNING,  /* R */
	ACTIVITY_SLEEPING, /* S */
	ACTIVITY_WAITING,  /* D: it cannot be interrupted */
	ACTIVITY_OTHER,    /* stopped, idle, exited and so on */
	ACTIVITY_STATES
};

/* Amounts that one pass adds, or the sums of all passes. */
struct activity_counts {
	uint64_t user_ticks, system_ticks; /* CPU time in clock ticks */
	uint64_t minor_faults, major_faults;
};

struct activity {
	bool is_read; /* in this pass; .step and .state are of it */
	enum activity_state state;
	struct activity_counts step;

	bool has_last;
	uint64_t start_ticks;        /* of the process that .last is of */
	struct activity_counts last; /* since its start, when it was read last */
};

/* A + B, at most INT64_MAX: a snapshot can hold no more. */
static inline uint64_t activity_count_sum(uint64_t a, uint64_t b)
{
	return saturate_min(saturate_add(a, b), INT64_MAX);
}

/* Adds each count of COUNTS to TO. Sums stay at INT64_MAX. */
static inline void activity_counts_add(
	struct activity_counts *to, const struct activity_counts *counts)
{
	to->user_ticks = activity_count_sum(to->user_ticks, counts->user_ticks);
	to->system_ticks = activity_count_sum(to->system_ticks, counts->system_ticks);
	to->minor_faults = activity_count_sum(to->minor_faults, counts->minor_faults);
	to->major_faults = activity_count_sum(to->major_faults, counts->major_faults);
}

/*
 * Takes what was read in this pass of a process that started at START_TICKS (clock ticks since boot):
 * NOW, since its start, and STATE, the letter of its main thread in /proc/PID/stat. SINCE_TICKS is the
 * begin of the first pass that read activities. Counts that go back add nothing.
 */
void activity_take(struct activity *a, char state, const struct activity_counts *now,
	uint64_t start_ticks, uint64_t since_ticks);

/* Takes an exit after the process was sampled in this pass: its state is ACTIVITY_OTHER. */
void activity_take_exit(struct activity *a);

#endif
