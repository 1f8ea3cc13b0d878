/* SPDX-License-Identifier: Apache-2.0 */
/* Quantiles of times. */
#ifndef MEMTALLY_TESTS_BENCH_QUANTILE_H
#define MEMTALLY_TESTS_BENCH_QUANTILE_H

#include <stddef.h>
#include <stdint.h>

/* Sorts NS in ascending order. */
void quantile_sort(uint64_t *ns, size_t count);

/* Returns quantile Q (0 to 1) of COUNT sorted times, in microseconds. COUNT is at least 1. */
double quantile_us(const uint64_t *sorted_ns, size_t count, double q);

#endif
