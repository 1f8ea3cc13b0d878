/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Theil-Sen slope
 *
 * The median of the slopes of all pairs of points (Theil 1950, Sen 1968). Up to 29 % of the points
 * may be arbitrary without much effect on it. Pure.
 */
#ifndef MEMTALLY_TREND_THEIL_SEN_H
#define MEMTALLY_TREND_THEIL_SEN_H

#include <stddef.h>

#include "trend/floors.h"

/* Pairs of COUNT points. */
#define THEIL_SEN_PAIRS(count) ((size_t)(count) * ((size_t)(count)-1) / 2)

/*
 * Returns the slope of the COUNT floors FLOOR, at least 2, in units of value a second. Writes the
 * THEIL_SEN_PAIRS(COUNT) slopes of the pairs to SLOPE, in any order, for theil_sen_bounds().
 */
double theil_sen_slope(const struct trend_floor *floor, size_t count, double *slope);

/*
 * Gives in *RET_LOW and *RET_HIGH the bounds of the slope with a confidence of 95 % (Sen). SLOPE is
 * that of theil_sen_slope(), VARIANCE that of the number of rises (mann_kendall_test()).
 */
void theil_sen_bounds(
	double *slope, size_t count, double variance, double *ret_low, double *ret_high);

#endif
