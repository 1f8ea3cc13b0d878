/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "trend/mann-kendall.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NORMAL_95 1.6448536269514722 /* the quantile 0.95 of the normal distribution */

static int compare_values(const void *a, const void *b)
{
	double left = *(const double *)a, right = *(const double *)b;

	return (left > right) - (left < right);
}

static double count_rises(const struct trend_floor *floor, size_t count)
{
	double s = 0;

	for (size_t i = 0; i < count; i++)
		for (size_t j = i + 1; j < count; j++)
			s += (floor[j].value > floor[i].value) - (floor[j].value < floor[i].value);
	return s;
}

/* Returns the variance of S for independent values. Values that are equal lower it. */
static double independent_variance(const struct trend_floor *floor, size_t count, double *sorted)
{
	double n = (double)count, variance = n * (n - 1) * (2 * n + 5);
	size_t ties = 1;

	for (size_t i = 0; i < count; i++)
		sorted[i] = floor[i].value;
	qsort(sorted, count, sizeof(*sorted), compare_values);
	for (size_t i = 1; i <= count; i++) {
		if (i < count && sorted[i] <= sorted[i - 1]) {
			ties++;
			continue;
		}
		variance -= (double)ties * (double)(ties - 1) * (2 * (double)ties + 5);
		ties = 1;
	}
	return variance / 18;
}

/* Replaces the COUNT values VALUE by their ranks, less the mean rank; equal ones get their mean. */
static void mean_ranks(double *value, size_t count, double *sorted)
{
	memcpy(sorted, value, count * sizeof(*sorted));
	qsort(sorted, count, sizeof(*sorted), compare_values);
	for (size_t i = 0; i < count; i++) {
		size_t low = 0, high = count, end;

		while (low < high) {
			size_t middle = low + (high - low) / 2;

			if (sorted[middle] < value[i])
				low = middle + 1;
			else
				high = middle;
		}
		for (end = low; end < count && sorted[end] <= value[i]; end++)
			;
		value[i] = ((double)low + (double)end - (double)count) / 2;
	}
}

/* Returns the factor of the variance for the autocorrelation of the ranks RANK (Hamed and Rao). */
static double autocorrelation_factor(const double *rank, size_t count)
{
	double n = (double)count, all = 0, sum = 0, factor;

	for (size_t i = 0; i < count; i++)
		all += rank[i] * rank[i];
	if (all <= 0)
		return 1;
	for (size_t lag = 1; lag < count - 2; lag++) {
		double product = 0, left = (double)(count - lag);

		for (size_t i = 0; i + lag < count; i++)
			product += rank[i] * rank[i + lag];
		if (product / all < NORMAL_95 / sqrt(n))
			break;
		sum += left * (left - 1) * (left - 2) * product / all;
	}
	factor = 1 + 2 * sum / (n * (n - 1) * (n - 2));
	return factor > 1 ? factor : 1;
}

void mann_kendall_test(const struct trend_floor *floor, size_t count, double slope, double *room,
	struct mann_kendall *ret)
{
	double *residual = room, *sorted = room + count;
	double s = count_rises(floor, count), variance, factor, excess;

	for (size_t i = 0; i < count; i++)
		residual[i] = floor[i].value - slope * (double)(floor[i].at_s - floor[0].at_s);
	mean_ranks(residual, count, sorted);
	factor = autocorrelation_factor(residual, count);
	variance = factor * independent_variance(floor, count, sorted);
	excess = s > 0 ? s - 1 : s < 0 ? s + 1 : 0;
	*ret = (struct mann_kendall){.s = s,
		.variance = variance,
		.correction = factor,
		.z = variance > 0 ? excess / sqrt(variance) : 0};
}
