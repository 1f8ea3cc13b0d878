/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How fast a quantity has grown of late: its means over each five minutes of the last hour, and the straight line
 * through these by least squares. A mean evens out what an allocator takes and gives back all the time; how far the
 * means lie off the line says how much the slope is worth. Pure.
 */
#ifndef MEMTALLY_COLLECTORS_TREND_H
#define MEMTALLY_COLLECTORS_TREND_H

#include <stdbool.h>
#include <stdint.h>

enum {
	TREND_SLOTS = 12,
	TREND_SLOT_SECONDS = 300,
	TREND_LEAST =
		3, /* means: through two goes one line exactly, which says nothing of its worth */
};

/* All zero is one without readings. */
struct trend {
	uint64_t open; /* the five minutes under way, counted from when CLOCK_MONOTONIC was 0 */
	double sum, sum_seconds; /* of its readings: their values, and how long into it they were */
	uint32_t count;
	uint32_t has;            /* a bit for each slot that holds a mean */
	float mean[TREND_SLOTS]; /* by the number of the five minutes, modulo TREND_SLOTS */
	float seconds
		[TREND_SLOTS]; /* the mean time of the readings, from the beginning of the slot */
};

/* Takes VALUE in, read at NOW_NS (CLOCK_MONOTONIC), which is not before that of the last one. */
void trend_add(struct trend *t, uint64_t value, uint64_t now_ns);

/*
 * The slope over those of the last twelve whole five minutes that have readings, per second, and its standard error.
 * False: there are fewer than TREND_LEAST of them.
 */
bool trend_slope(const struct trend *t, double *ret_slope, double *ret_error);

#endif
