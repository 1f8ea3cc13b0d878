/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fixed-Width Numbers
 *
 * Writes numbers that change from answer to answer without changing the answer's length. It counts
 * by how many characters each number is shorter than its widest form, and adds as many blanks
 * later, at a place where the format allows blanks. So HEAD tells the length that the next GET has.
 */
#ifndef MEMTALLY_WEB_OWN_FIXED_WIDTH_H
#define MEMTALLY_WEB_OWN_FIXED_WIDTH_H

#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"

struct fixed_width {
	struct buffer *to; /* borrowed */
	size_t slack;      /* blanks to add with fixed_width_settle() */
};

/* Appends VALUE in decimal. */
void fixed_width_add_u64(struct fixed_width *s, uint64_t value);

/* Appends NS, nanoseconds, as decimal seconds. */
void fixed_width_add_seconds(struct fixed_width *s, uint64_t ns);

/* Appends NS, nanoseconds, as human_add_age() writes it. */
void fixed_width_add_age(struct fixed_width *s, uint64_t ns);

/* Appends the blanks that are still to be added. */
void fixed_width_settle(struct fixed_width *s);

#endif
