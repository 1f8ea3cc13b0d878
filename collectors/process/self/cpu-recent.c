/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The last mark is the newest reading. When the next one comes, it is kept only if it is far enough
 * from its predecessor: marks are a twelfth of a minute apart, or an interval if that is longer.
 */
#include "config.h"

#include "collectors/process/self/cpu-recent.h"

#include <string.h>

#include "base/clock.h"

#define SPAN_NS  (60 * NS_PER_SEC)
#define APART_NS (5 * NS_PER_SEC)

static void cpu_recent_drop(struct cpu_recent *r, unsigned int i)
{
	memmove(&r->mark[i], &r->mark[i + 1], (r->count - i - 1) * sizeof(r->mark[0]));
	r->count--;
}

void cpu_recent_add(struct cpu_recent *r, uint64_t at_ns, uint64_t cpu_ns)
{
	if (r->count > 1 && r->mark[r->count - 1].at_ns < r->mark[r->count - 2].at_ns + APART_NS)
		cpu_recent_drop(r, r->count - 1);
	while (r->count > 1 &&
		(r->mark[1].at_ns + SPAN_NS <= at_ns || r->count == CPU_RECENT_MARKS))
		cpu_recent_drop(r, 0);
	r->mark[r->count].at_ns = at_ns;
	r->mark[r->count].cpu_ns = cpu_ns;
	r->count++;
}

bool cpu_recent_ratio(const struct cpu_recent *r, double *ret, uint64_t *ret_span_ns)
{
	uint64_t span_ns, cpu_ns;

	if (r->count < 2)
		return false;
	span_ns = r->mark[r->count - 1].at_ns - r->mark[0].at_ns;
	cpu_ns = r->mark[r->count - 1].cpu_ns - r->mark[0].cpu_ns;
	if (!span_ns)
		return false;
	*ret = (double)cpu_ns / (double)span_ns;
	*ret_span_ns = span_ns;
	return true;
}
