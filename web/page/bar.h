/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bars
 *
 * Amounts as bars in SVG. Widths are attributes, because the page's policy allows no styles inside
 * the page. A bar only repeats figures beside it, so screen readers skip it. Pure.
 */
#ifndef MEMTALLY_WEB_PAGE_BAR_H
#define MEMTALLY_WEB_PAGE_BAR_H

#include <stdint.h>

#include "base/buffer.h"

/* The pattern of doubtful parts of bars: the page has it once, before the first bar. */
#define BAR_PATTERN                                                                                \
	"<svg class=\"defs\" aria-hidden=\"true\" width=\"0\" height=\"0\"><defs>"                 \
	"<pattern id=\"doubt\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\" "          \
	"patternTransform=\"rotate(45)\"><rect class=\"doubt-back\" width=\"6\" height=\"6\"/>"    \
	"<rect class=\"doubt-line\" width=\"3\" height=\"6\"/></pattern></defs></svg>\n"

/*
 * Appends the bar of an amount: filled up to LOW_BYTES, hatched up to HIGH_BYTES, and empty up to
 * MOST_BYTES.
 */
void bar_add(struct buffer *to, uint64_t low_bytes, uint64_t high_bytes, uint64_t most_bytes);

#endif
