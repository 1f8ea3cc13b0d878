/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "cli/table/mapline.h"

#include <string.h>

enum {
	DIGITS_MAX = 21, /* for 64 bits and a sign */
	HEX_MAX = 16,
};

void mapline_begin(struct mapline *l)
{
	l->len = 0;
	l->due = 0;
}

void mapline_add_char(struct mapline *l, char c)
{
	l->text[l->len++] = c;
	l->due++;
}

/* Appends COUNT blanks, but at least one if the cell would touch the text before it. */
static void add_blanks(struct mapline *l, size_t count)
{
	if (!count && l->len && l->text[l->len - 1] != ' ')
		count = 1;
	memset(l->text + l->len, ' ', count);
	l->len += count;
}

static void mapline_add_text(struct mapline *l, const char *text, size_t len)
{
	memcpy(l->text + l->len, text, len);
	l->len += len;
}

static void add_right(struct mapline *l, const char *text, size_t len, size_t width)
{
	l->due += width;
	add_blanks(l, l->due > l->len + len ? l->due - l->len - len : 0);
	mapline_add_text(l, text, len);
}

void mapline_add_right(struct mapline *l, const char *text, size_t width)
{
	add_right(l, text, strlen(text), width);
}

void mapline_add_left(struct mapline *l, const char *text, size_t width)
{
	add_blanks(l, l->due > l->len ? l->due - l->len : 0);
	mapline_add_text(l, text, strlen(text));
	l->due += width;
}

/* SIGN 0: no sign. */
static void add_number(struct mapline *l, uint64_t value, char sign, size_t width)
{
	char digits[DIGITS_MAX], *end = digits + sizeof(digits), *at = end;

	do {
		*--at = (char)('0' + value % 10);
		value /= 10;
	} while (value);
	if (sign)
		*--at = sign;
	add_right(l, at, (size_t)(end - at), width);
}

void mapline_add_number(struct mapline *l, uint64_t value, size_t width)
{
	add_number(l, value, 0, width);
}

void mapline_add_signed(struct mapline *l, int64_t value, size_t width)
{
	if (value < 0)
		add_number(l, -(uint64_t)value, '-', width);
	else
		add_number(l, (uint64_t)value, value ? '+' : 0, width);
}

/* Writes at least eight digits, as the kernel prints addresses. Returns their number. */
static size_t write_hex(char *to, uint64_t value)
{
	static const char digits[] = "0123456789abcdef";
	unsigned int shift = 60;
	size_t len = 0;

	while (shift > 28 && !(value >> shift))
		shift -= 4;
	for (;; shift -= 4) {
		to[len++] = digits[(value >> shift) & 15];
		if (!shift)
			return len;
	}
}

void mapline_add_hex(struct mapline *l, uint64_t value)
{
	size_t len = write_hex(l->text + l->len, value);

	l->len += len;
	l->due += len;
}

void mapline_add_place(struct mapline *l, const struct mapping_table_row *row)
{
	mapline_add_range(l, row->start, row->end, row->perms);
}

void mapline_add_range(struct mapline *l, uint64_t start, uint64_t end, const char *perms)
{
	char text[2 * HEX_MAX + 2];
	size_t len = write_hex(text, start);

	text[len++] = '-';
	len += write_hex(text + len, end);
	text[len] = '\0';
	mapline_add_left(l, text, MAPLINE_ADDRESS_WIDTH + 1);
	mapline_add_left(l, perms, MAPLINE_PLACE_WIDTH - MAPLINE_ADDRESS_WIDTH - 1);
}

void mapline_add_place_head(struct mapline *l)
{
	mapline_add_left(l, "ADDRESS", MAPLINE_ADDRESS_WIDTH + 1);
	mapline_add_left(l, "PERM", MAPLINE_PLACE_WIDTH - MAPLINE_ADDRESS_WIDTH - 1);
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
