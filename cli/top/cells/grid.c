/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "cli/top/cells/grid.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "cli/table/cell.h"

void grid_done(struct grid *g)
{
	free(g->cell);
	*g = (struct grid){0};
}

int grid_begin(struct grid *g, size_t width, size_t height)
{
	if (ARRAY_RESERVE(g->cell, g->room, width * height) < 0)
		return -ENOMEM;
	g->width = width;
	g->height = height;
	g->has_cursor = false;
	/* Zeroed: cells are compared as bytes. */
	memset(g->cell, 0, width * height * sizeof(*g->cell));
	for (size_t y = 0; y < height; y++)
		grid_fill(g, 0, y, width, STYLE_NORMAL, L' ');
	return 0;
}

/* Returns how many of WIDTH columns from X on are inside line Y. */
static size_t grid_clip(const struct grid *g, size_t x, size_t y, size_t width)
{
	if (y >= g->height || x >= g->width)
		return 0;
	return width < g->width - x ? width : g->width - x;
}

/* Blanks the other half of a wide character, of which the cell at X of line Y is overwritten. */
static void grid_split(struct grid *g, size_t x, size_t y)
{
	struct grid_cell *c = grid_at(g, x, y);

	if (c->span == 0 && x > 0)
		*grid_at(g, x - 1, y) = (struct grid_cell){
			.text = {L' '}, .style = c->style, .span = 1};
	if (c->span == 2 && x + 1 < g->width)
		*grid_at(g, x + 1, y) = (struct grid_cell){
			.text = {L' '}, .style = c->style, .span = 1};
}

static void grid_put(struct grid *g, size_t x, size_t y, enum style style, wchar_t c, int columns)
{
	struct grid_cell *cell = grid_at(g, x, y);

	grid_split(g, x, y);
	if (columns == 2)
		grid_split(g, x + 1, y);
	memset(cell, 0, sizeof(*cell));
	cell->text[0] = c;
	cell->style = (uint8_t)style;
	cell->span = (uint8_t)columns;
	if (columns == 2) {
		memset(cell + 1, 0, sizeof(*cell));
		cell[1].style = (uint8_t)style;
	}
}

/* Adds the combining character C to the cell at X of line Y, if there is room. */
static void grid_combine(struct grid *g, size_t x, size_t y, wchar_t c)
{
	struct grid_cell *cell = grid_at(g, x, y);

	for (size_t i = 1; i < GRID_CHARACTERS; i++)
		if (!cell->text[i]) {
			cell->text[i] = c;
			return;
		}
}

/* Writes the LEN printable bytes at TEXT, which are at most WIDTH columns wide. */
static size_t grid_write(struct grid *g, size_t x, size_t y, size_t width, enum style style,
	const char *text, size_t len)
{
	mbstate_t state = {0};
	size_t column = 0, last = SIZE_MAX;

	for (size_t at = 0; at < len;) {
		wchar_t c;
		size_t bytes = mbrtowc(&c, text + at, len - at, &state);
		int columns;

		if (bytes == 0 || bytes > len - at)
			break;
		at += bytes;
		columns = wcwidth(c);
		if (columns <= 0) {
			if (last != SIZE_MAX)
				grid_combine(g, x + last, y, c);
			continue;
		}
		if (column + (size_t)columns > width)
			break;
		grid_put(g, x + column, y, style, c, columns);
		last = column;
		column += (size_t)columns;
	}
	return column;
}

/* Appends TEXT, printable and cut to WIDTH columns, to TO. Returns false if there is no memory. */
static bool grid_prepare(const char *text, size_t width, struct buffer *to)
{
	cell_add_name(to, text, width, false);
	return !to->error;
}

size_t grid_text(
	struct grid *g, size_t x, size_t y, size_t width, enum style style, const char *text)
{
	AUTO_BUFFER struct buffer printable = {0};

	width = grid_clip(g, x, y, width);
	if (!width || !*text || !grid_prepare(text, width, &printable))
		return 0;
	return grid_write(g, x, y, width, style, printable.data, printable.len);
}

size_t grid_text_right(
	struct grid *g, size_t x, size_t y, size_t width, enum style style, const char *text)
{
	AUTO_BUFFER struct buffer printable = {0};
	size_t inside = grid_clip(g, x, y, width), columns;

	if (!inside || !*text || !grid_prepare(text, width, &printable))
		return width;
	columns = cell_width(printable.data, printable.len);
	if (width - columns < inside)
		grid_write(g, x + width - columns, y, inside - (width - columns), style,
			printable.data, printable.len);
	return width;
}

void grid_fill(struct grid *g, size_t x, size_t y, size_t width, enum style style, wchar_t c)
{
	width = grid_clip(g, x, y, width);
	for (size_t i = 0; i < width; i++)
		grid_put(g, x + i, y, style, c, 1);
}

void grid_restyle(struct grid *g, size_t x, size_t y, size_t width, enum style style)
{
	width = grid_clip(g, x, y, width);
	for (size_t i = 0; i < width; i++)
		grid_at(g, x + i, y)->style = (uint8_t)style;
}

void grid_paste(
	struct grid *g, size_t x, size_t y, const struct grid *from, size_t from_y, size_t height)
{
	for (size_t i = 0; i < height && from_y + i < from->height && y + i < g->height; i++) {
		size_t width = grid_clip(g, x, y + i, from->width);

		if (!width)
			continue;
		grid_split(g, x, y + i);
		grid_split(g, x + width - 1, y + i);
		memcpy(grid_at(g, x, y + i), grid_at(from, 0, from_y + i),
			width * sizeof(*g->cell));
		if (grid_at(g, x + width - 1, y + i)->span == 2)
			*grid_at(g, x + width - 1, y + i) = (struct grid_cell){{L' '}, 0, 1};
	}
}

static void render_cell(const struct grid_cell *cell, struct buffer *to)
{
	mbstate_t state = {0};

	for (size_t i = 0; i < GRID_CHARACTERS && cell->text[i]; i++) {
		char bytes[MB_LEN_MAX];
		size_t len = wcrtomb(bytes, cell->text[i], &state);

		if (len != (size_t)-1)
			buffer_add(to, bytes, len);
	}
}

void grid_render(const struct grid *g, struct buffer *to)
{
	for (size_t y = 0; y < g->height; y++) {
		size_t end = g->width;

		while (end && grid_at(g, end - 1, y)->text[0] == L' ')
			end--;
		for (size_t x = 0; x < end; x++)
			render_cell(grid_at(g, x, y), to);
		buffer_add_char(to, '\n');
	}
}
