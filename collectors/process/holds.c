/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "collectors/process/holds.h"

#include "base/amount.h"
#include "snapshot/metric.h"

void holds_add(struct holds *h, uint64_t ns)
{
	h->times.bucket[metric_histogram_bucket(metric_histogram(HISTOGRAM_HOLD), ns)]++;
	h->times.count++;
	h->times.sum_ns = amount_min(amount_add(h->times.sum_ns, ns), INT64_MAX);
	h->above += h->limit_ns && ns > h->limit_ns;
}
