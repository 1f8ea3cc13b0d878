/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "trend/theil-sen.h"

#include <math.h>

#include "trend/order.h"

#define NORMAL_975 1.9599639845400545 /* the quantile 0.975 of the normal distribution */

double theil_sen_slope(const struct trend_floor *floor, size_t count, double *slope)
{
	size_t pairs = 0;

	for (size_t i = 0; i < count; i++)
		for (size_t j = i + 1; j < count; j++)
			slope[pairs++] = (floor[j].value - floor[i].value) /
			                 (double)(floor[j].at_s - floor[i].at_s);
	return order_median(slope, pairs);
}

/* The bounds are the slopes with these ranks, from 1: (pairs - c) / 2 and (pairs + c) / 2 + 1. */
void theil_sen_bounds(
	double *slope, size_t count, double variance, double *ret_low, double *ret_high)
{
	size_t pairs = THEIL_SEN_PAIRS(count);
	double c = NORMAL_975 * sqrt(variance);
	double low = floor(((double)pairs - c) / 2), high = ceil(((double)pairs + c) / 2 + 1);

	*ret_low = order_select(slope, pairs, low < 1 ? 0 : (size_t)low - 1);
	*ret_high = order_select(slope, pairs, high > (double)pairs ? pairs - 1 : (size_t)high - 1);
}
