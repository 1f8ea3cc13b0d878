/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "trend/order.h"

static void order_swap(double *a, double *b)
{
	double kept = *a;

	*a = *b;
	*b = kept;
}

/* Returns the median of the first, the middle and the last value from LOW to HIGH. */
static double order_pivot(const double *value, size_t low, size_t high)
{
	double a = value[low], b = value[low + (high - low) / 2], c = value[high];

	if (a > b)
		order_swap(&a, &b);
	if (b > c)
		b = a > c ? a : c;
	return b;
}

/* Hoare's selection: only the part with the rank is divided further. Equal values divide evenly. */
double order_select(double *value, size_t count, size_t rank)
{
	size_t low = 0, high = count - 1;

	while (low < high) {
		double pivot = order_pivot(value, low, high);
		size_t up = low, down = high;

		for (;;) {
			while (value[up] < pivot)
				up++;
			while (value[down] > pivot)
				down--;
			if (up >= down)
				break;
			order_swap(&value[up++], &value[down--]);
		}
		/* Up to DOWN, which is below HIGH, no value exceeds the pivot; behind it none is less. */
		if (rank <= down)
			high = down;
		else
			low = down + 1;
	}
	return value[rank];
}

double order_median(double *value, size_t count)
{
	double upper = order_select(value, count, count / 2);

	if (count % 2)
		return upper;
	return (order_select(value, count / 2, count / 2 - 1) + upper) / 2;
}

double order_quantile(double *value, size_t count, double part)
{
	return order_select(value, count, (size_t)(part * (double)(count - 1)));
}
