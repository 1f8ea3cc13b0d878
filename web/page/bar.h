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

/*
 * The patterns of doubtful parts: "doubt" of bars, and "doubt-over" on top of another colour. The
 * page has them once, before the first bar.
 */
#define BAR_PATTERN                                                                                \
	"<svg class=\"defs\" aria-hidden=\"true\" width=\"0\" height=\"0\"><defs>"                 \
	"<pattern id=\"doubt\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\" "          \
	"patternTransform=\"rotate(45)\"><rect class=\"doubt-back\" width=\"6\" height=\"6\"/>"    \
	"<rect class=\"doubt-line\" width=\"3\" height=\"6\"/></pattern>"                          \
	"<pattern id=\"doubt-over\" width=\"8\" height=\"8\" patternUnits=\"userSpaceOnUse\" "     \
	"patternTransform=\"rotate(45)\"><rect class=\"doubt-over\" width=\"2\" height=\"8\"/>"    \
	"</pattern></defs></svg>\n"

/*
 * Appends the bar of an amount: filled up to LOW_BYTES, hatched up to HIGH_BYTES with a mark at
 * BYTES, and empty up to MOST_BYTES.
 */
void bar_add(struct buffer *to, uint64_t low_bytes, uint64_t bytes, uint64_t high_bytes,
	uint64_t most_bytes);

#endif
