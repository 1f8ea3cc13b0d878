/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which value most of a histogram's are at most. Pure.
 */
#ifndef MEMTALLY_RENDER_QUANTILE_H
#define MEMTALLY_RENDER_QUANTILE_H

#include <stdbool.h>

#include "snapshot/record.h"

enum {
	QUANTILE_HALF = 500, /* per mille */
	QUANTILE_NEARLY_ALL = 990,
	QUANTILE_ENOUGH = 1000, /* values, for the worst of a hundred to be more than chance */
};

/*
 * What at least PER_MILLE of H's values are at most: the upper bound of the bucket in which that one lies, in the unit
 * of the bounds; infinite for the last bucket. False: it is empty or of a kind that is not known.
 */
bool quantile_of(const struct snapshot_histogram *h, unsigned int per_mille, double *ret);

#endif
