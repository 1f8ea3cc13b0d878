/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "tests/sim/spread.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NORMAL_99 2.3263478740408408 /* the quantile 0.99 of the normal distribution */

void spread_add(struct spread *s, double value)
{
	size_t at = s->count;

	if (s->count == SPREAD_MOST)
		abort();
	while (at > 0 && s->value[at - 1] > value)
		at--;
	memmove(&s->value[at + 1], &s->value[at], (s->count - at) * sizeof(*s->value));
	s->value[at] = value;
	s->count++;
}

double spread_mean(const struct spread *s)
{
	double sum = 0;

	for (size_t i = 0; i < s->count; i++)
		sum += s->value[i];
	return s->count > 0 ? sum / (double)s->count : 0;
}

double spread_deviation(const struct spread *s)
{
	double mean = spread_mean(s), sum = 0;

	for (size_t i = 0; i < s->count; i++)
		sum += (s->value[i] - mean) * (s->value[i] - mean);
	return s->count > 1 ? sqrt(sum / (double)(s->count - 1)) : 0;
}

double spread_quantile(const struct spread *s, double part)
{
	double at = part * (double)(s->count > 0 ? s->count - 1 : 0), rest = at - floor(at);
	size_t i = (size_t)at;

	if (s->count == 0)
		return 0;
	return i + 1 < s->count ? s->value[i] * (1 - rest) + s->value[i + 1] * rest : s->value[i];
}

/*
 * The quantile 0.99 of Student's t, by the expansion of Peiser and of Fisher; it is within 0.1 %
 * from 10 degrees of freedom on.
 */
static double student_99(double degrees)
{
	const double z = NORMAL_99, z3 = z * z * z, z5 = z3 * z * z;

	return z + (z3 + z) / (4 * degrees) + (5 * z5 + 16 * z3 + 3 * z) / (96 * degrees * degrees);
}

double spread_upper_limit(const struct spread *s)
{
	if (s->count < 2)
		return spread_mean(s);
	return spread_mean(s) +
	       student_99((double)(s->count - 1)) * spread_deviation(s) / sqrt((double)s->count);
}

/* The probability that at most FOUND of COUNT happen, each with probability PART. */
static double at_most(size_t found, size_t count, double part)
{
	double term = pow(1 - part, (double)count), sum = term;

	for (size_t i = 1; i <= found; i++) {
		term *= (double)(count - i + 1) / (double)i * part / (1 - part);
		sum += term;
	}
	return sum;
}

double spread_upper_part(size_t found, size_t count)
{
	double low = 0, high = 1;

	if (found >= count)
		return 1;
	while (high - low > 1e-9) {
		double middle = (low + high) / 2;

		if (at_most(found, count, middle) > 0.01)
			low = middle;
		else
			high = middle;
	}
	return high;
}
