/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "recorder/codec/byteseconds.h"

#include "base/clock.h"
#include "snapshot/metric.h"

enum {
	MANTISSA_BITS = 52,
	EXPONENT_SPECIAL = 2047, /* infinity and NaN; a negative number has a higher one here */
	EXPONENT_UNITS = 1075,   /* the exponent of doubles that are counted in units */
};

#define MANTISSA  ((UINT64_C(1) << MANTISSA_BITS) - 1)
#define BYTES_MAX (UINT64_C(1) << 62)
#define PARTS     ((unsigned __int128)(2 * NS_PER_SEC)) /* of a byte second */

/*
 * Returns PRODUCT, in parts of a byte second, in units of a double with EXPONENT; 0 if it is too
 * large.
 */
static uint64_t units_of(unsigned __int128 product, int exponent)
{
	int shift = EXPONENT_UNITS - exponent;

	if (shift > 0) {
		if (shift > 100 || product >> (126 - shift))
			return 0;
		product = ((product << shift) + PARTS / 2) / PARTS;
	} else {
		product = shift < -100 ? 0 : (product / PARTS) >> -shift;
	}
	return product > MANTISSA ? 0 : (uint64_t)product;
}

uint64_t byteseconds_predict(uint64_t bits, uint64_t a, uint64_t b, uint64_t elapsed_ns)
{
	int exponent = (int)(bits >> MANTISSA_BITS);
	uint64_t units;

	if (!exponent || exponent >= EXPONENT_SPECIAL - 1 || a > BYTES_MAX || b > BYTES_MAX)
		return bits;
	units = (bits & MANTISSA) + units_of((unsigned __int128)(a + b) * elapsed_ns, exponent);
	if (units <= MANTISSA)
		return (bits & ~MANTISSA) | units;
	/* The next exponent has units that are twice as large. */
	return ((uint64_t)exponent + 1) << MANTISSA_BITS | ((units - MANTISSA) >> 1 & MANTISSA);
}

uint64_t byteseconds_guess(uint64_t from, uint64_t to, uint64_t a, uint64_t b)
{
	double grown = metric_real(to) - metric_real(from), bytes = ((double)a + (double)b) / 2;
	double elapsed = bytes > 0 ? grown / bytes * (double)NS_PER_SEC + 0.5 : 0;

	return elapsed > 1 && elapsed < (double)INT64_MAX ? (uint64_t)elapsed : 0;
}
