/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Charts for a terminal
 *
 * Draws amounts over time as columns of block characters, or of '#' if LC_CTYPE is not UTF-8. Pure
 * except for LC_CTYPE and TZ, because the times are local.
 */
#ifndef MEMTALLY_CLI_PAST_CHART_H
#define MEMTALLY_CLI_PAST_CHART_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"

enum { CHART_WIDTH_MIN = 30, CHART_WIDTH_MAX = 400, CHART_HEIGHT = 10 };

/* An amount that is known from .from_ns to .until_ns: CLOCK_REALTIME, .until_ns not included. */
struct chart_point {
	uint64_t from_ns, until_ns;
	uint64_t bytes;
	char mark; /* drawn below the time at which it begins; 0: none */
};

struct chart {
	const struct chart_point *point; /* borrowed; by ascending .from_ns */
	size_t points;
	uint64_t from_ns, until_ns; /* the time to draw, .from_ns < .until_ns */
	size_t width;               /* of the terminal in columns; limited to the above */
	bool bytes;                 /* amounts are exact */
};

/*
 * Appends the chart: CHART_HEIGHT lines from 0 to the largest amount, which stand at the left; a
 * line with the times of the begin and the end; and, if a point has a mark, a line of marks between.
 * A column of the terminal shows the largest amount of its time, and is empty if there is none.
 * Errors are those of TO.
 */
void chart_render(const struct chart *c, struct buffer *to);

#endif
