/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "tests/bench/helpers/quantile.h"

#include <stdlib.h>

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

void quantile_sort(uint64_t *ns, size_t count)
{
	qsort(ns, count, sizeof(*ns), compare);
}

double quantile_us(const uint64_t *sorted_ns, size_t count, double q)
{
	size_t i = (size_t)(q * (double)count);

	return (double)sorted_ns[i < count ? i : count - 1] / 1e3;
}
