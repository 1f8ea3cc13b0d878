/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How much of a PSS was measured, how much is carried forward and how much only guessed: the same parts and the same
 * words wherever people read them. Pure.
 */
#ifndef MEMTALLY_RENDER_SHARES_H
#define MEMTALLY_RENDER_SHARES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"
#include "snapshot/record.h"

/* Of a PSS that is not 0; they add up to it. */
struct shares {
	uint64_t pss_bytes;
	uint64_t measured_bytes;  /* within the last interval */
	uint64_t estimated_bytes; /* carried forward from a measurement */
	uint64_t guessed_bytes;   /* never measured */
};

/* False: ROW does not say, or has no PSS. */
bool shares_of(const struct snapshot_scope *row, struct shares *ret);

/* BYTES as a part of S's PSS, in percent. */
void shares_add_percent(struct buffer *to, const struct shares *s, uint64_t bytes);

/*
 * "between 2.3 and 6.8 GiB": what ROW's PSS lies between, "likely between" where some of it is estimated; "at least" where
 * there is no upper bound. BEFORE comes first. Nothing where both bounds are shown alike or are not known.
 */
void shares_add_bounds(struct buffer *to, const char *before, const struct snapshot_scope *row);

#endif
