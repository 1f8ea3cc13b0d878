/* SPDX-License-Identifier: Apache-2.0 */
/* Two series in MiB, of which tests/unit/trend/reference.py computes the results independently. */
#ifndef MEMTALLY_TESTS_UNIT_TREND_SERIES_H
#define MEMTALLY_TESTS_UNIT_TREND_SERIES_H

#include "trend/floors.h"

enum { SERIES_COUNT = 24 };

static const double series_growing[SERIES_COUNT] = {100, 103, 101, 104, 104, 108, 107, 109, 113,
	112, 112, 116, 121, 119, 123, 122, 127, 125, 131, 130, 129, 134, 137, 135};
static const double series_wandering[SERIES_COUNT] = {50, 52, 55, 57, 58, 57, 55, 52, 50, 49, 50,
	53, 57, 60, 62, 63, 62, 60, 57, 55, 54, 55, 58, 62};

/* Writes VALUE to FLOOR, one each five minutes, after the twelfth with a gap of GAP slots. */
static inline void series_make(const double value[static SERIES_COUNT], int64_t gap,
	struct trend_floor floor[static SERIES_COUNT])
{
	for (int64_t i = 0; i < SERIES_COUNT; i++)
		floor[i] = (struct trend_floor){
			.at_s = FLOORS_SLOT_S * (i < 12 ? i : i + gap), .value = value[i]};
}

#endif
