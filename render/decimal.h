/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Numbers as the formats share them: what is exact stays exact, and the same quantity reads the same in
 * every format. The radix is that of LC_NUMERIC, which no program of ours takes from its environment.
 */
#ifndef MEMTALLY_RENDER_DECIMAL_H
#define MEMTALLY_RENDER_DECIMAL_H

#include <stdint.h>

#include "base/buffer.h"
#include "snapshot/metric.h"

/* NANOSECONDS as decimal seconds, exactly, without trailing zeros. */
void decimal_add_seconds(struct buffer *to, uint64_t ns);

/* VALUE, finite, in the fewest digits that read back as the same double; a whole one without exponent. */
void decimal_add_real(struct buffer *to, double value);

/* The 64 bits of a quantity of KIND. */
void decimal_add_quantity(struct buffer *to, enum metric_kind kind, uint64_t bits);

#endif
