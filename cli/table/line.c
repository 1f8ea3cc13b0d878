/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "cli/table/line.h"

#include <string.h>

#include "cli/table/cell.h"

enum { NAME_COLUMNS = 12 };

void line_begin(struct buffer *to, const char *name)
{
	buffer_printf(to, "%-*s", NAME_COLUMNS, name);
}

/*
 * Returns the column below which the rest of LINE goes. In a row of a list an amount stands to the
 * right in the column of the texts, with two blanks behind it.
 */
static size_t line_hang(const char *line, size_t len)
{
	size_t at = 0;

	while (at < len && line[at] == ' ')
		at++;
	if (at <= NAME_COLUMNS)
		return NAME_COLUMNS;
	while (at + 1 < len && (line[at] != ' ' || line[at + 1] != ' '))
		at++;
	return at + 1 < len ? at + 2 : NAME_COLUMNS;
}

static void fold_line(const char *line, size_t len, size_t width, struct buffer *to)
{
	size_t hang = line_hang(line, len), column = 0;

	for (size_t at = 0, word; at <= len; at += word + 1) {
		const char *blank = memchr(line + at, ' ', len - at);
		size_t columns;

		word = blank ? (size_t)(blank - line) - at : len - at;
		columns = cell_width(line + at, word);
		if (at && column > hang && column + 1 + columns > width) {
			buffer_printf(to, "\n%*s", (int)hang, "");
			column = hang;
		} else if (at) {
			buffer_add_char(to, ' ');
			column++;
		}
		buffer_add(to, line + at, word);
		column += columns;
	}
}

void line_fold(const struct buffer *text, size_t width, struct buffer *to)
{
	const char *at = text->data, *end = text->len ? at + text->len : at;

	while (at < end) {
		const char *stop = memchr(at, '\n', (size_t)(end - at));
		size_t len = (size_t)((stop ? stop : end) - at);

		if (width && cell_width(at, len) > width)
			fold_line(at, len, width, to);
		else
			buffer_add(to, at, len);
		buffer_add(to, "\n", stop != NULL);
		at += len + (stop != NULL);
	}
	if (text->error)
		to->error = text->error;
}

void line_add_count(struct buffer *to, uint64_t count, const char *one, const char *many)
{
	buffer_add_u64(to, count);
	buffer_add_text(to, count == 1 ? one : many);
}
