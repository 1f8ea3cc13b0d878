/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Mann-Kendall test
 *
 * Whether a series rises or falls more often than chance explains (Mann 1945, Kendall 1975). No
 * distribution is assumed. Neighbouring values of memory are alike, which alone makes runs: the
 * variance is corrected for that by the autocorrelation of ranks (Hamed and Rao 1998). Pure.
 */
#ifndef MEMTALLY_TREND_MANN_KENDALL_H
#define MEMTALLY_TREND_MANN_KENDALL_H

#include <stddef.h>

#include "trend/floors.h"

struct mann_kendall {
	double s;          /* pairs that rise less pairs that fall */
	double variance;   /* of .s if there is no trend, with the correction */
	double correction; /* the factor in .variance; at least 1 */
	double z;          /* .s in standard deviations, with the correction for continuity */
};

/*
 * Tests the COUNT floors FLOOR, at least 4. SLOPE, a unit of value a second, is subtracted before
 * the autocorrelation is computed, which a trend would raise. The correction sums the
 * autocorrelations up to the first one that is not significant (one-sided, 95 %), and never lowers
 * the variance. ROOM has space for 2 * COUNT values.
 */
void mann_kendall_test(const struct trend_floor *floor, size_t count, double slope, double *room,
	struct mann_kendall *ret);

#endif
