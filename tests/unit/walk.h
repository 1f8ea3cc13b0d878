/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Looks at everything in a view, as its readers do: every row, every quantity, every text. What the
 * validating reader has accepted must pass here; written apart from it, out of the contracts in
 * snapshot/record.h, so that the two can disagree.
 */
#ifndef MEMTALLY_TESTS_UNIT_WALK_H
#define MEMTALLY_TESTS_UNIT_WALK_H

#include "snapshot/view.h"

/* NULL, or a sentence on the first thing that is out of its documented range. */
const char *walk_view(const struct view *view);

/* NULL, or a sentence: over users, over programs, over units and of the host quantities sum up to the same. */
const char *walk_sums(const struct view *view);

#endif
