/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parts of a PSS: measured, estimated and guessed, in the same words in all output for people.
 * Pure.
 */
#ifndef MEMTALLY_RENDER_SHARES_H
#define MEMTALLY_RENDER_SHARES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"
#include "snapshot/record.h"

/* Parts of a PSS that is not 0; they add up to it. */
struct shares {
	uint64_t pss_bytes;
	uint64_t measured_bytes;  /* within the last interval */
	uint64_t estimated_bytes; /* carried forward from a measurement */
	uint64_t guessed_bytes;   /* never measured */
};

/* Computes the parts of ROW's PSS in *RET. Returns false if ROW lacks them, or has no PSS. */
bool shares_of(const struct snapshot_scope *row, struct shares *ret);

/* Appends BYTES as a percentage of the PSS of S. */
void shares_add_percent(struct buffer *to, const struct shares *s, uint64_t bytes);

/*
 * Appends the measured part of the PSS of ROW as a percentage; S are the shares of ROW. If all of
 * the PSS was measured, but ROW counts blocked processes, appends "all that could be read" instead
 * of "100 %".
 */
void shares_add_measured(
	struct buffer *to, const struct shares *s, const struct snapshot_scope *row);

/*
 * Appends BEFORE and the bounds of ROW's PSS: "between 2.3 and 6.8 GiB", "likely between" if a part
 * is estimated, "at least" if there is no upper bound. Appends nothing if both bounds look the
 * same, or are not known.
 */
void shares_add_bounds(struct buffer *to, const char *before, const struct snapshot_scope *row);

#endif
