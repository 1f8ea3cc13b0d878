/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "cli/top/cells/brief.h"

#include "base/saturate.h"

enum { TENTHS = 10, UNIT_BITS = 10 };

/* Returns BYTES in PARTS of 1 << SHIFT, rounded to the nearest. PARTS is 1 or 10. */
static uint64_t in_parts(uint64_t bytes, unsigned int shift, unsigned int parts)
{
	uint64_t unit = UINT64_C(1) << shift, rest = bytes & (unit - 1);

	return (bytes >> shift) * parts + (rest * parts + unit / 2) / unit;
}

void brief_add_bytes(struct buffer *to, uint64_t bytes)
{
	static const char units[] = "KMGTPE";
	unsigned int unit = 0, shift = UNIT_BITS;
	uint64_t whole, tenths;

	/* Rounded amounts of 1024 are one of the next unit. */
	while (in_parts(bytes, shift, 1) >= 1U << UNIT_BITS && units[unit + 1]) {
		unit++;
		shift += UNIT_BITS;
	}
	whole = in_parts(bytes, shift, 1);
	tenths = in_parts(bytes, shift, TENTHS);
	if (unit && tenths < 100 * TENTHS)
		buffer_printf(to, "%u.%u", (unsigned int)(tenths / TENTHS),
			(unsigned int)(tenths % TENTHS));
	else
		buffer_add_u64(to, whole);
	if (bytes)
		buffer_add_char(to, units[unit]);
}

void brief_add_change(struct buffer *to, int64_t bytes)
{
	if (bytes)
		buffer_add_char(to, bytes < 0 ? '-' : '+');
	brief_add_bytes(to, saturate_size(bytes));
}
