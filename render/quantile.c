/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "render/quantile.h"

#include <math.h>

#include "snapshot/metric.h"

bool quantile_of(const struct snapshot_histogram *h, unsigned int per_mille, double *ret)
{
	const struct metric_histogram *m = metric_histogram(h->id);
	uint64_t sum = 0;
	size_t i = 0;

	if (!m || !h->count)
		return false;
	for (; i < HISTOGRAM_BUCKETS - 1; i++) {
		sum += h->bucket[i];
		if ((double)sum * 1000 >= (double)h->count * per_mille)
			break;
	}
	*ret = i < HISTOGRAM_BUCKETS - 1 ? m->bounds[i] : INFINITY;
	return true;
}
