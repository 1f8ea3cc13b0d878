/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Brief amounts
 *
 * Amounts of memory for narrow columns: a number and the letter of a binary unit, at most five
 * columns wide: "812K", "4.5M", "12.3G", "1023M". Pure.
 */
#ifndef MEMTALLY_CLI_TOP_CELLS_BRIEF_H
#define MEMTALLY_CLI_TOP_CELLS_BRIEF_H

#include <stdint.h>

#include "base/buffer.h"

/*
 * Appends BYTES in KiB without a decimal, or from 1 MiB on in the largest unit of which it is at
 * least one, with one decimal below 100; rounded to the nearest. 0 has no unit; an amount below half
 * a KiB is "0K".
 */
void brief_add_bytes(struct buffer *to, uint64_t bytes);

/* Appends BYTES as brief_add_bytes(), with a sign: "+4.5M", "-812K", "0". */
void brief_add_change(struct buffer *to, int64_t bytes);

#endif
