/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Arithmetic on amounts of memory and on times that neither wraps nor goes below 0. The estimators
 * take counters of the kernel: each is right, but two of them may not fit together.
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

/* A, at most UINT32_MAX. */
static inline uint32_t saturate_u32(uint64_t a)
{
	return (uint32_t)saturate_min(a, UINT32_MAX);
}

/* A, at most HIGH and at least LOW. */
static inline uint64_t saturate_clamp(uint64_t a, uint64_t low, uint64_t high)
{
	return saturate_max(low, saturate_min(a, high));
}

/* The difference of A and B without its sign. */
static inline uint64_t saturate_distance(uint64_t a, uint64_t b)
{
	return a > b ? a - b : b - a;
}

/* A without its sign. */
static inline uint64_t saturate_size(int64_t a)
{
	return a < 0 ? -(uint64_t)a : (uint64_t)a;
}

/* A + B, limited to INT64_MAX and -INT64_MAX. */
static inline int64_t saturate_sum(int64_t a, int64_t b)
{
	int64_t sum;

	if (__builtin_add_overflow(a, b, &sum) || sum == INT64_MIN)
		return a < 0 ? -INT64_MAX : INT64_MAX;
	return sum;
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
