/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Arithmetic on amounts of memory that neither wraps nor goes below 0. The estimators take counters
 * of the kernel: each is right, but two of them may not fit together.
 */
#ifndef MEMTALLY_BASE_SATURATE_H
#define MEMTALLY_BASE_SATURATE_H

#include <stdint.h>

static inline uint64_t saturate_min(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static inline uint64_t saturate_max(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* A + B, at most UINT64_MAX. */
static inline uint64_t saturate_add(uint64_t a, uint64_t b)
{
	return a + b < a ? UINT64_MAX : a + b;
}

/* A - B, at least 0. */
static inline uint64_t saturate_less(uint64_t a, uint64_t b)
{
	return a > b ? a - b : 0;
}

/* A + B, limited to 0 and UINT64_MAX. */
static inline uint64_t saturate_shift(uint64_t a, int64_t b)
{
	return b < 0 ? saturate_less(a, -(uint64_t)b) : saturate_add(a, (uint64_t)b);
}

/* A - B with its sign, limited to INT64_MAX and -INT64_MAX. */
static inline int64_t saturate_difference(uint64_t a, uint64_t b)
{
	if (a >= b)
		return a - b > INT64_MAX ? INT64_MAX : (int64_t)(a - b);
	return b - a > INT64_MAX ? -INT64_MAX : -(int64_t)(b - a);
}

/* A * NUMERATOR / DENOMINATOR, rounded down, at most UINT64_MAX; 0 if DENOMINATOR is 0. */
static inline uint64_t saturate_part(uint64_t a, uint64_t numerator, uint64_t denominator)
{
	unsigned __int128 product;
	uint64_t small;

	if (!denominator)
		return 0;
	if (!__builtin_mul_overflow(a, numerator, &small))
		return small / denominator;
	product = (unsigned __int128)a * numerator / denominator;
	return product > UINT64_MAX ? UINT64_MAX : (uint64_t)product;
}

#endif
