/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "collectors/process/state/lock-hold.h"

#include "base/saturate.h"
#include "snapshot/metric.h"

void lock_hold_add(struct lock_hold *h, uint64_t ns)
{
	h->times.bucket[metric_histogram_bucket(metric_histogram(HISTOGRAM_HOLD), ns)]++;
	h->times.count++;
	h->times.sum_ns = saturate_min(saturate_add(h->times.sum_ns, ns), INT64_MAX);
	h->above += h->limit_ns && ns > h->limit_ns;
}
