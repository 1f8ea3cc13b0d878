/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "cli/why/facts/trace.h"

#include "base/saturate.h"

enum { TRACE_PARTS = 20 }; /* one of them is 5 % */

/* Returns the smallest known amount of the COUNT points. At least one is known. */
static uint64_t trace_least(const struct trace_point *point, size_t count)
{
	uint64_t least = UINT64_MAX;

	for (size_t i = 0; i < count; i++)
		if (point[i].is_known)
			least = saturate_min(least, point[i].bytes);
	return least;
}

bool trace_measure(const struct trace_point *point, size_t count, struct trace_growth *ret)
{
	const struct trace_point *last, *from = NULL;
	uint64_t least, most;

	if (!count || !point[count - 1].is_known)
		return false;
	last = &point[count - 1];
	least = trace_least(point, count);
	most = least + (last->bytes - least) / TRACE_PARTS;
	for (size_t i = 0; i < count; i++)
		if (point[i].is_known && point[i].bytes <= most)
			from = &point[i];
	if (!from || from->bytes >= last->bytes)
		return false;
	*ret = (struct trace_growth){
		.since_ns = from->at_ns,
		.from_bytes = from->bytes,
		.to_bytes = last->bytes,
		.bytes = last->bytes - from->bytes,
		.has_low = last->has_low && from->has_high,
		.has_high = last->has_high && from->has_low,
	};
	if (ret->has_low)
		ret->low_bytes = saturate_difference(last->low_bytes, from->high_bytes);
	if (ret->has_high)
		ret->high_bytes = saturate_difference(last->high_bytes, from->low_bytes);
	return true;
}
