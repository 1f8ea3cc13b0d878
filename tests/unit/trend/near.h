/* SPDX-License-Identifier: Apache-2.0 */
/* Comparison of doubles, which older versions of cmocka lack. */
#ifndef MEMTALLY_TESTS_UNIT_TREND_NEAR_H
#define MEMTALLY_TESTS_UNIT_TREND_NEAR_H

#include <math.h>

/* Fails the test if VALUE and EXPECTED differ by more than MOST. */
#define near_assert(value, expected, most)                                                         \
	do {                                                                                       \
		if (fabs((value) - (expected)) > (most))                                           \
			fail_msg("%.12g is not %.12g", (double)(value), (double)(expected));       \
	} while (0)

#endif
