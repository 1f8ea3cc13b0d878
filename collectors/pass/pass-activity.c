/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "collectors/pass/pass-private.h"

#include <errno.h>
#include <stdlib.h>

bool pass_activity_is_read(const struct pass *pass)
{
	return pass->options.reads_activity && pass->namegroups.rules;
}

void pass_activity_keep(struct pass *pass)
{
	for (uint32_t i = 0; i < builder_process_count(&pass->builder); i++)
		if (pass->member[i]->activity)
			pass->member[i]->activity->step = (struct activity_counts){0};
}

void pass_activity_begin(struct pass *pass)
{
	pass->at = pass->announced = 0;
	process_announce_none(&pass->reader);
	if (!pass->activity_since_ticks)
		pass->activity_since_ticks = pass->begin_boottime_ns / pass->procfs.ns_per_tick;
}

/* Lets a worker read as many processes as there is room for. */
static void pass_activity_announce(struct pass *pass)
{
	if (pass->announced > pass->at)
		return;
	pass->announced = pass->at;
	process_announce_none(&pass->reader);
	while (pass->announced < builder_process_count(&pass->builder) &&
		process_announce_has_room(&pass->reader))
		process_announce_stat(&pass->reader, pass->member[pass->announced++]);
}

static void take_activity(struct pass *pass, struct process *p)
{
	struct activity_counts counts;
	struct stat_activity now;
	int e = process_read_activity(&pass->reader, p, &now);

	if (e == -ESRCH || e == -ENOENT)
		activity_take_exit(p->activity);
	if (e < 0)
		return;
	counts = (struct activity_counts){.user_ticks = now.user_ticks,
		.system_ticks = now.system_ticks,
		.minor_faults = now.minor_faults,
		.major_faults = now.major_faults};
	activity_take(p->activity, now.state, &counts, now.start_ticks, pass->activity_since_ticks);
}

bool pass_activity_step(struct pass *pass)
{
	struct process *p;

	if (pass->at == builder_process_count(&pass->builder))
		return false;
	pass_activity_announce(pass);
	p = pass->member[pass->at++];
	if (!p->activity)
		p->activity = calloc(1, sizeof(*p->activity));
	if (!p->activity)
		return true;
	p->activity->is_read = false;
	take_activity(pass, p);
	return true;
}
