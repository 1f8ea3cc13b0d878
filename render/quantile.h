/* SPDX-License-Identifier: Apache-2.0 */
/* Quantiles of histograms. Pure. */
#ifndef MEMTALLY_RENDER_QUANTILE_H
#define MEMTALLY_RENDER_QUANTILE_H

#include <stdbool.h>

#include "snapshot/record.h"

enum {
	QUANTILE_HALF = 500, /* per mille */
	QUANTILE_NEARLY_ALL = 990,
	/* Number of values from which on the worst of a hundred is more than chance. */
	QUANTILE_ENOUGH = 1000,
};

/*
 * Sets *RET to an upper bound of at least PER_MILLE of H's values: the upper bound of a bucket, in
 * the unit of the bounds; infinite for the last bucket. Returns false if H is empty or of an
 * unknown kind.
 */
bool quantile_of(const struct snapshot_histogram *h, unsigned int per_mille, double *ret);

#endif
