/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A line of a table of mappings that is being put together. A process may have 60,000 mappings, so columns have the
 * same widths whatever comes, and numbers are written by hand: printf() would be half of all that a line takes. Pure.
 */
#ifndef MEMTALLY_CLI_MAPLINE_H
#define MEMTALLY_CLI_MAPLINE_H

#include <stddef.h>
#include <stdint.h>

#include "cli/mapcolumn.h"
#include "inside/atlas.h"

enum {
	MAPLINE_NUMBER_WIDTH = 9,
	MAPLINE_BYTES_WIDTH = 14,
	MAPLINE_PID_WIDTH = 8,
	MAPLINE_ADDRESS_WIDTH = 25, /* of two addresses of 12 digits */
	MAPLINE_PLACE_WIDTH = MAPLINE_ADDRESS_WIDTH + 5,
	MAPLINE_MAX = 512,
};

/* All but the name, which is less than MAPLINE_MAX: zeroed in .len alone, it is empty. */
struct mapline {
	size_t len;
	char text[MAPLINE_MAX];
};

/* How wide a column of amounts is. */
static inline size_t mapline_width(bool bytes)
{
	return bytes ? MAPLINE_BYTES_WIDTH : MAPLINE_NUMBER_WIDTH;
}

void mapline_add_char(struct mapline *l, char c);

/* To the right of a column of WIDTH, or as wide as it is; of one with a sign, "+12", "-3" or "0". */
void mapline_add_right(struct mapline *l, const char *text, size_t width);
void mapline_add_number(struct mapline *l, uint64_t value, size_t width);
void mapline_add_signed(struct mapline *l, int64_t value, size_t width);

/* At least eight digits, as the kernel prints addresses. */
void mapline_add_hex(struct mapline *l, uint64_t value);

/* Where the mapping ROW is, and its access. */
void mapline_add_place(struct mapline *l, const struct atlas_row *row);

/* The head of such a column, and those of the columns of amounts. */
void mapline_add_place_head(struct mapline *l);
void mapline_add_amounts_head(struct mapline *l, bool bytes);

/* Adds a line of dashes as long as L, and L without an end. */
void mapline_add_sum_to(const struct mapline *l, struct buffer *to);

#endif
