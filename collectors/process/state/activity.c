/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "collectors/process/state/activity.h"

#include "base/saturate.h"

static enum activity_state state_of(char letter)
{
	switch (letter) {
	case 'R': return ACTIVITY_RUNNING;
	case 'S': return ACTIVITY_SLEEPING;
	case 'D': return ACTIVITY_WAITING;
	default: return ACTIVITY_OTHER;
	}
}

static struct activity_counts counts_less(
	const struct activity_counts *a, const struct activity_counts *b)
{
	return (struct activity_counts){
		.user_ticks = saturate_less(a->user_ticks, b->user_ticks),
		.system_ticks = saturate_less(a->system_ticks, b->system_ticks),
		.minor_faults = saturate_less(a->minor_faults, b->minor_faults),
		.major_faults = saturate_less(a->major_faults, b->major_faults),
	};
}

void activity_take(struct activity *a, char state, const struct activity_counts *now,
	uint64_t start_ticks, uint64_t since_ticks)
{
	bool is_same = a->has_last && a->start_ticks == start_ticks;

	a->step = (struct activity_counts){0};
	if (is_same)
		a->step = counts_less(now, &a->last);
	else if (start_ticks > since_ticks)
		a->step = *now;
	a->last = *now;
	a->start_ticks = start_ticks;
	a->has_last = a->is_read = true;
	a->state = state_of(state);
}

void activity_take_exit(struct activity *a)
{
	a->step = (struct activity_counts){0};
	a->is_read = true;
	a->state = ACTIVITY_OTHER;
}
