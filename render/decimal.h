/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Numbers in text, the same in every format. Exact quantities stay exact. The decimal point is that
 * of LC_NUMERIC, which our programs never take from their environment.
 */
#ifndef MEMTALLY_RENDER_DECIMAL_H
#define MEMTALLY_RENDER_DECIMAL_H

#include <stdint.h>

#include "base/buffer.h"
#include "snapshot/metric.h"

/* Appends NS as decimal seconds, exactly, without trailing zeros. */
void decimal_add_seconds(struct buffer *to, uint64_t ns);

/*
 * Appends VALUE, which is finite, in the fewest digits (15 to 17) that read back as the same
 * double; whole numbers up to 2^53 without an exponent.
 */
void decimal_add_real(struct buffer *to, double value);

/* Appends the quantity of KIND that is stored in BITS. */
void decimal_add_quantity(struct buffer *to, enum metric_kind kind, uint64_t bits);

#endif
