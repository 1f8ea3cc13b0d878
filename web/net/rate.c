/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "web/net/rate.h"

void rate_init(struct rate *r, uint64_t interval_ns, uint64_t burst)
{
	*r = (struct rate){.interval_ns = interval_ns, .burst = burst};
}

bool rate_take(struct rate *r, uint64_t now_ns)
{
	if (r->full_ns < now_ns)
		r->full_ns = now_ns;
	/* If .interval_ns is 0, .full_ns never exceeds the present time. */
	if (r->full_ns - now_ns > (r->burst - 1) * r->interval_ns)
		return false;
	r->full_ns += r->interval_ns;
	return true;
}
