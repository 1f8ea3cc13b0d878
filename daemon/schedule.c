/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "daemon/schedule.h"

#include "base/saturate.h"

enum {
	JITTER_PART = 20,
	REST_PART = 10,
};

void schedule_init(struct schedule *s, uint64_t now_ns)
{
	*s = (struct schedule){.due_ns = now_ns};
}

uint64_t schedule_bring_forward(struct schedule *s, uint64_t interval_ns, uint64_t now_ns)
{
	if (s->due_ns > now_ns + interval_ns)
		s->due_ns = now_ns + interval_ns;
	return s->due_ns;
}

uint64_t schedule_next(struct schedule *s, uint64_t interval_ns, uint64_t begin_ns, uint64_t end_ns,
	uint32_t random)
{
	uint64_t jitter_ns = interval_ns / JITTER_PART * (random >> 16) >> 16;
	uint64_t rest_ns = end_ns + (end_ns - begin_ns) / REST_PART;
	uint64_t latest_ns = end_ns + interval_ns;

	s->due_ns += interval_ns;
	if (s->due_ns >= end_ns)
		return saturate_max(s->due_ns + jitter_ns, saturate_min(rest_ns, latest_ns));
	/* The pass ran over points of the grid: leave them out. */
	s->due_ns += (end_ns - s->due_ns + interval_ns - 1) / interval_ns * interval_ns;
	return saturate_min(saturate_max(s->due_ns + jitter_ns, rest_ns), latest_ns);
}
