/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One line of a table of mappings or pages. A process may have 60,000 mappings, so lines are
 * printed as they come and columns have fixed widths. A cell that is wider than its column moves
 * the next cells of its line to the right, no further than it must: at least one blank separates
 * two cells. Digits are written by hand because printf() would take half of a line's time. Pure.
 */
#ifndef MEMTALLY_CLI_TABLE_MAPLINE_H
#define MEMTALLY_CLI_TABLE_MAPLINE_H

#include <stddef.h>
#include <stdint.h>

#include "cli/table/mapcolumn.h"
#include "inspect/maps/mapping-table.h"

enum {
	MAPLINE_NUMBER_WIDTH = 9,
	MAPLINE_BYTES_WIDTH = 14,
	MAPLINE_PID_WIDTH = 8,
	MAPLINE_ADDRESS_WIDTH = 25, /* two addresses of 12 digits, and a dash */
	MAPLINE_PLACE_WIDTH = MAPLINE_ADDRESS_WIDTH + 5,
	MAPLINE_MAX = 512,
};

/* A line up to its last column, which is shorter than MAPLINE_MAX. */
struct mapline {
	size_t len;
	size_t due; /* column at which the last cell would end if every cell fitted its column */
	char text[MAPLINE_MAX];
};

/* Makes L an empty line. */
void mapline_begin(struct mapline *l);

/* Returns the width of a column of amounts: exact bytes, or KiB. */
static inline size_t mapline_width(bool bytes)
{
	return bytes ? MAPLINE_BYTES_WIDTH : MAPLINE_NUMBER_WIDTH;
}

/* Appends C to the cell before it: adds no blank. */
void mapline_add_char(struct mapline *l, char c);

/* Adds TEXT as a right-aligned cell in a column of WIDTH. */
void mapline_add_right(struct mapline *l, const char *text, size_t width);

/* Adds VALUE as a right-aligned cell in a column of WIDTH. */
void mapline_add_number(struct mapline *l, uint64_t value, size_t width);

/* Adds VALUE with a sign ("+12", "-3" or "0") as a right-aligned cell in a column of WIDTH. */
void mapline_add_signed(struct mapline *l, int64_t value, size_t width);

/* Adds a left-aligned cell in a column of WIDTH. */
void mapline_add_left(struct mapline *l, const char *text, size_t width);

/* Appends at least eight digits, as the kernel prints addresses, to the cell before them. */
void mapline_add_hex(struct mapline *l, uint64_t value);

/* Adds two cells: the range of addresses from START to END, and the access PERMS ("r-xp"). */
void mapline_add_range(struct mapline *l, uint64_t start, uint64_t end, const char *perms);

/* Adds two cells as mapline_add_range() does: addresses and access of the mapping ROW. */
void mapline_add_place(struct mapline *l, const struct mapping_table_row *row);

/* Adds the heads of the columns of mapline_add_range(): "ADDRESS" and "PERM". */
void mapline_add_place_head(struct mapline *l);

/* Adds the heads of the columns of amounts (cli/table/mapcolumn.h). BYTES: exact bytes, or KiB. */
void mapline_add_amounts_head(struct mapline *l, bool bytes);

/* Appends to TO a line of dashes as long as L, and L without a newline. */
void mapline_add_sum_to(const struct mapline *l, struct buffer *to);

#endif
