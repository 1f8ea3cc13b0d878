/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "cli/mapline.h"

#include <string.h>

enum { BLANKS = 16 }; /* at least as many as any column is wide */

void mapline_add_char(struct mapline *l, char c)
{
	l->text[l->len++] = c;
}

void mapline_add_right(struct mapline *l, const char *text, size_t width)
{
	size_t len = strlen(text), blanks = len < width ? width - len : 0;

	memset(l->text + l->len, ' ', blanks);
	memcpy(l->text + l->len + blanks, text, len);
	l->len += blanks + len;
}

/* SIGN may be 0: none. The digits are written where they belong, the last one first. */
static void add(struct mapline *l, uint64_t value, char sign, size_t width)
{
	size_t len = 1 + (sign != 0);
	char *at;

	for (uint64_t rest = value; rest >= 10; rest /= 10)
		len++;
	memset(l->text + l->len, ' ', BLANKS);
	l->len += len < width ? width : len;
	at = l->text + l->len;
	do {
		*--at = (char)('0' + value % 10);
		value /= 10;
	} while (value);
	if (sign)
		*--at = sign;
}

void mapline_add_number(struct mapline *l, uint64_t value, size_t width)
{
	add(l, value, 0, width);
}

void mapline_add_signed(struct mapline *l, int64_t value, size_t width)
{
	if (value < 0)
		add(l, -(uint64_t)value, '-', width);
	else
		add(l, (uint64_t)value, value ? '+' : 0, width);
}

void mapline_add_hex(struct mapline *l, uint64_t value)
{
	static const char digits[] = "0123456789abcdef";
	unsigned int shift = 60;

	while (shift > 28 && !(value >> shift))
		shift -= 4;
	for (;; shift -= 4) {
		l->text[l->len++] = digits[(value >> shift) & 15];
		if (!shift)
			return;
	}
}

static void fill(struct mapline *l, size_t len)
{
	while (l->len < len)
		l->text[l->len++] = ' ';
}

void mapline_add_place(struct mapline *l, const struct atlas_row *row)
{
	size_t begin = l->len;

	mapline_add_hex(l, row->start);
	mapline_add_char(l, '-');
	mapline_add_hex(l, row->end);
	fill(l, begin + MAPLINE_ADDRESS_WIDTH);
	mapline_add_char(l, ' ');
	memcpy(l->text + l->len, row->perms, 4);
	l->len += 4;
}

void mapline_add_place_head(struct mapline *l)
{
	size_t begin = l->len;

	mapline_add_right(l, "ADDRESS", 0);
	fill(l, begin + MAPLINE_ADDRESS_WIDTH);
	mapline_add_right(l, " PERM", 0);
}

void mapline_add_amounts_head(struct mapline *l, bool bytes)
{
	for (unsigned int i = 0; i < MAPCOLUMNS; i++)
		mapline_add_right(l, mapcolumn_head((enum mapcolumn)i), mapline_width(bytes));
}

void mapline_add_sum_to(const struct mapline *l, struct buffer *to)
{
	for (size_t i = 0; i < l->len; i++)
		buffer_add_char(to, '-');
	buffer_add_char(to, '\n');
	buffer_add(to, l->text, l->len);
}
