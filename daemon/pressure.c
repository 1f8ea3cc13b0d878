/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "daemon/pressure.h"

#include "base/saturate.h"

static bool pressure_begin(struct pressure *p, uint64_t now_ns, bool is_of_kill)
{
	p->state = PRESSURE_EPISODE;
	p->begin_ns = p->signal_ns = p->next_ns = now_ns;
	p->is_of_kill = is_of_kill;
	return true;
}

bool pressure_signal(struct pressure *p, uint64_t now_ns)
{
	bool was_episode = pressure_goes_on(p, now_ns);

	if (!p->apart_ns || p->state == PRESSURE_PAUSE)
		return false;
	if (!was_episode)
		return pressure_begin(p, now_ns, false);
	p->signal_ns = now_ns;
	p->is_of_kill = false;
	return false;
}

bool pressure_kill(struct pressure *p, uint64_t now_ns)
{
	bool was_episode = pressure_goes_on(p, now_ns);

	if (!p->apart_ns || was_episode || now_ns < p->kills_until_ns)
		return false;
	return pressure_begin(p, now_ns, true);
}

bool pressure_goes_on(struct pressure *p, uint64_t now_ns)
{
	uint64_t end_ns = saturate_min(
		p->begin_ns + PRESSURE_LONGEST_NS, p->signal_ns + PRESSURE_QUIET_NS);

	if (p->state == PRESSURE_EPISODE && now_ns >= end_ns) {
		uint64_t length_ns = end_ns - p->begin_ns;
		uint64_t pause_ns = PRESSURE_PAUSE_TIMES * length_ns;

		p->state = PRESSURE_PAUSE;
		p->until_ns = p->is_of_kill ? end_ns : end_ns + pause_ns;
		/* After the rest of an earlier pause of kills, which this episode has interrupted. */
		p->kills_until_ns = saturate_max(p->kills_until_ns, p->begin_ns) + length_ns +
		                    pause_ns;
	}
	if (p->state == PRESSURE_PAUSE && now_ns >= p->until_ns)
		p->state = PRESSURE_CALM;
	return p->state == PRESSURE_EPISODE;
}

void pressure_passed(struct pressure *p, uint64_t begin_ns, uint64_t cpu_ns)
{
	p->next_ns = saturate_add(
		begin_ns, saturate_max(p->apart_ns, saturate_part(cpu_ns, PRESSURE_CPU_PART, 1)));
}
