/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checks everything in a view as its readers use it: every row, quantity and text. An image that
 * the validating reader accepts must pass. The checks follow snapshot/record.h and share no code
 * with the reader, so the two can disagree.
 */
#ifndef MEMTALLY_TESTS_UNIT_SUPPORT_SNAPSHOT_WALK_H
#define MEMTALLY_TESTS_UNIT_SUPPORT_SNAPSHOT_WALK_H

#include "snapshot/view.h"

/* Returns NULL, or a phrase that names the first value outside its documented range. */
const char *walk_view(const struct view *view);

/*
 * Returns NULL if the sums over the rows of each kind of owner equal the host's row, or a sentence
 * with the first difference, in static memory.
 */
const char *walk_sums(const struct view *view);

#endif
