/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Order statistics
 *
 * Finds values by their rank without sorting all of them. Pure.
 */
#ifndef MEMTALLY_TREND_ORDER_H
#define MEMTALLY_TREND_ORDER_H

#include <stddef.h>

/*
 * Returns the value with RANK, from 0, of the COUNT values VALUE, which change their order: those
 * before RANK are not larger, those behind it are not smaller. RANK is below COUNT. No value is a
 * NaN.
 */
double order_select(double *value, size_t count, size_t rank);

/* Returns the median of the COUNT values VALUE, which change their order. COUNT is not 0. */
double order_median(double *value, size_t count);

/*
 * Returns the value below which PART of the COUNT values VALUE are, from 0 to 1, rounded down to a
 * rank. VALUE changes its order. COUNT is not 0.
 */
double order_quantile(double *value, size_t count, double part);

#endif
