/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Growth of one row over several snapshots
 *
 * The growth up to the last snapshot, and since when. Growth begins at the last snapshot in which
 * the row had at most its smallest amount and 5 % of the way from there to its last amount. Pure.
 */
#ifndef MEMTALLY_CLI_WHY_FACTS_TRACE_H
#define MEMTALLY_CLI_WHY_FACTS_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A row in one snapshot. Amounts in bytes. */
struct trace_point {
	uint64_t at_ns;
	bool is_known; /* the row is in the snapshot, and its amount is known */
	bool has_low, has_high;
	uint64_t bytes, low_bytes, high_bytes; /* the amount and its bounds */
};

struct trace_growth {
	uint64_t since_ns;             /* when it began */
	uint64_t from_bytes, to_bytes; /* the amount then, and in the last snapshot */
	uint64_t bytes;                /* .to_bytes - .from_bytes, above 0 */
	/* Bounds of .bytes. A low bound below 0 means that the row may have shrunk. */
	bool has_low, has_high;
	int64_t low_bytes, high_bytes;
};

/*
 * Writes to *RET how much the row with the COUNT points at POINT, by ascending time, has grown up to
 * its last point. Returns false if it has not grown, or if its last amount is not known.
 */
bool trace_measure(const struct trace_point *point, size_t count, struct trace_growth *ret);

#endif
