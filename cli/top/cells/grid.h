/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Grid of cells
 *
 * The content of a screen: a character and a style for each cell. All text is made printable and is
 * clipped at the edges, so that no name can move the cursor or leave its column. Pure except for
 * LC_CTYPE, which says which characters can be printed and how wide they are.
 */
#ifndef MEMTALLY_CLI_TOP_CELLS_GRID_H
#define MEMTALLY_CLI_TOP_CELLS_GRID_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <wchar.h>

#include "base/buffer.h"
#include "base/cleanup.h"
#include "cli/top/cells/style.h"

/* Characters of a cell: one with a width, and combining ones. Further combining ones are left out. */
enum { GRID_CHARACTERS = 3 };

struct grid_cell {
	wchar_t text[GRID_CHARACTERS]; /* unused ones are 0 */
	uint8_t style;                 /* enum style */
	uint8_t span;                  /* columns: 1 or 2; 0: the right half of a wide character */
};

/* Zeroed: empty. */
struct grid {
	struct grid_cell *cell; /* owned; line by line */
	size_t width, height;
	size_t room;  /* cells that .cell has room for */
	size_t hot_x; /* where the terminal shows its cursor, if .has_cursor */
	size_t hot_y;
	bool has_cursor;
};

/* Frees the cells, and empties G. */
void grid_done(struct grid *g);
#define AUTO_GRID CLEANUP(grid_done)

/* Makes G WIDTH columns wide and HEIGHT lines high, with blanks. Returns 0, or -ENOMEM. */
int grid_begin(struct grid *g, size_t width, size_t height);

/* Returns the cell in column X of line Y, both inside the grid. */
static inline struct grid_cell *grid_at(const struct grid *g, size_t x, size_t y)
{
	return &g->cell[y * g->width + x];
}

/*
 * Writes TEXT, which need not be printable, from column X of line Y on. Cuts it, with an ellipsis,
 * to WIDTH columns and to the line. Writes nothing outside the grid. Returns the columns written.
 */
size_t grid_text(
	struct grid *g, size_t x, size_t y, size_t width, enum style style, const char *text);

/* Does the same with TEXT at the right end of the WIDTH columns. Returns WIDTH. */
size_t grid_text_right(
	struct grid *g, size_t x, size_t y, size_t width, enum style style, const char *text);

/* Fills WIDTH columns with C, which is one column wide. Clips as grid_text(). */
void grid_fill(struct grid *g, size_t x, size_t y, size_t width, enum style style, wchar_t c);

/* Gives WIDTH columns another style, and leaves their text. Clips as grid_text(). */
void grid_restyle(struct grid *g, size_t x, size_t y, size_t width, enum style style);

/*
 * Copies HEIGHT lines of FROM, from line FROM_Y on, to column X of line Y on, with all of its columns.
 * Clips as grid_text(); half of a wide character becomes a blank.
 */
void grid_paste(
	struct grid *g, size_t x, size_t y, const struct grid *from, size_t from_y, size_t height);

/* Appends the text of all lines, without blanks at their ends. */
void grid_render(const struct grid *g, struct buffer *to);

#endif
