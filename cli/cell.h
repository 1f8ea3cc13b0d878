/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A cell's text, as a terminal is to show it: harmless, cut or folded to a width in columns. Pure but for
 * LC_CTYPE, which decides what can be printed and how wide it is.
 */
#ifndef MEMTALLY_CLI_CELL_H
#define MEMTALLY_CLI_CELL_H

#include <stddef.h>

#include "base/buffer.h"

/*
 * Appends TEXT with \x0a for control characters, newlines among them, and likewise for every byte of what
 * LC_CTYPE can't print. A backslash stands for itself: unit names are full of them.
 */
void cell_add_printable(struct buffer *to, const char *text);

/*
 * Appends TEXT, which is printable, if it is no wider than WIDTH; else as much of it as leaves room for a
 * sign that something is missing: an ellipsis, or three dots where LC_CTYPE is not UTF-8. There is no sign
 * where it would take more than half of the room.
 */
void cell_add_cut(struct buffer *to, const char *text, size_t width);

/* As that, but it is the end of TEXT that is left, behind the sign. */
void cell_add_end(struct buffer *to, const char *text, size_t width);

/*
 * Appends the LEN bytes of TEXT, which is plain ASCII, after AT columns of a line: broken at blanks so
 * that no line is wider than WIDTH, or within words that are wider themselves. 0: as it is.
 */
void cell_add_folded(struct buffer *to, const char *text, size_t len, size_t at, size_t width);

#endif
