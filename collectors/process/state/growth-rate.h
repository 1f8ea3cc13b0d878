/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Trend: how fast a quantity has grown recently. It keeps the means over each five minutes of the
 * last hour, and fits a straight line by least squares. Means even out what an allocator takes and
 * gives back all the time. Their distance from the line says how reliable the slope is. Pure.
 */
#ifndef MEMTALLY_COLLECTORS_PROCESS_STATE_GROWTH_RATE_H
#define MEMTALLY_COLLECTORS_PROCESS_STATE_GROWTH_RATE_H

#include <stdbool.h>
#include <stdint.h>

enum {
	GROWTH_RATE_SLOTS = 12,
	GROWTH_RATE_SLOT_SECONDS = 300,
	/*
	 * means that a slope needs: a line through two fits exactly, which says nothing about its
	 * error
	 */
	GROWTH_RATE_LEAST = 3,
};

/* Every process has one, so it is small. Zeroed: no readings. */
struct growth_rate {
	/*
	 * of the readings of the current five minutes: sum of values, and of seconds since its
	 * beginning
	 */
	double sum;
	float sum_seconds;
	uint32_t open; /* number of the current five minutes, since CLOCK_MONOTONIC was 0 */
	uint16_t count;
	uint16_t has; /* a bit for each slot that has a mean */
	/* by the number of the five minutes modulo GROWTH_RATE_SLOTS */
	float mean[GROWTH_RATE_SLOTS];
	/* mean time of the readings since the beginning of the slot, in 1/200 s */
	uint16_t ticks[GROWTH_RATE_SLOTS];
};

/* Adds VALUE, read at NOW_NS (CLOCK_MONOTONIC), which must not be before the last reading. */
void growth_rate_add(struct growth_rate *t, uint64_t value, uint64_t now_ns);

/*
 * Computes the slope over the last twelve complete five minutes that have readings. *RET_SLOPE is
 * in units of the value per second, *RET_ERROR is its standard error. Returns false, with nothing
 * set, if fewer than GROWTH_RATE_LEAST of them have readings.
 */
bool growth_rate_slope(const struct growth_rate *t, double *ret_slope, double *ret_error);

#endif
