/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "cli/table/cell.h"

#include <langinfo.h>
#include <stdbool.h>
#include <string.h>
#include <wchar.h>

bool cell_is_utf8(void)
{
	return !strcmp(nl_langinfo(CODESET), "UTF-8");
}

/*
 * Returns the length in bytes of the character at TEXT (LEN > 0). *RET_COLUMNS is its width; -1: it
 * is not printable.
 */
static size_t next_character(const char *text, size_t len, int *ret_columns)
{
	mbstate_t state = {0};
	wchar_t c = 0;
	size_t bytes = mbrtowc(&c, text, len, &state);

	*ret_columns = -1;
	if (bytes == 0 || bytes > len) /* (size_t)-1, (size_t)-2: invalid */
		return 1;
	*ret_columns = wcwidth(c);
	return bytes;
}

/*
 * Returns the number of leading ASCII bytes that are printable: a fast path, since nearly all names
 * consist of them.
 */
static size_t count_plain(const char *text)
{
	size_t count = 0;

	while (text[count] >= ' ' && text[count] <= '~')
		count++;
	return count;
}

void cell_add_printable(struct buffer *to, const char *text)
{
	for (const char *end = text + strlen(text); text < end;) {
		int columns;
		size_t bytes = count_plain(text);

		buffer_add(to, text, bytes);
		text += bytes;
		if (text == end)
			return;
		bytes = next_character(text, (size_t)(end - text), &columns);

		if (columns >= 0)
			buffer_add(to, text, bytes);
		else
			for (size_t i = 0; i < bytes; i++)
				buffer_printf(to, "\\x%02x", (unsigned char)text[i]);
		text += bytes;
	}
}

size_t cell_width(const char *text, size_t len)
{
	size_t column = 0;
	int columns;

	for (size_t at = 0; at < len;) {
		at += next_character(text + at, len - at, &columns);
		column += columns > 0 ? (size_t)columns : 0;
	}
	return column;
}

struct sign {
	const char *text;
	size_t columns;
};

static struct sign sign_within(size_t width)
{
	struct sign sign = cell_is_utf8() ? (struct sign){"\xe2\x80\xa6", 1}
	                                  : (struct sign){"...", 3};

	return 2 * sign.columns <= width ? sign : (struct sign){"", 0};
}

void cell_add_cut(struct buffer *to, const char *text, size_t width)
{
	const struct sign sign = sign_within(width);
	size_t len = strlen(text), at = 0, column = 0, kept = 0;

	while (at < len) {
		int columns;
		size_t bytes = next_character(text + at, len - at, &columns);

		column += columns > 0 ? (size_t)columns : 0;
		at += bytes;
		if (column > width) {
			buffer_add(to, text, kept);
			buffer_add_text(to, sign.text);
			return;
		}
		if (column + sign.columns <= width)
			kept = at;
	}
	buffer_add(to, text, len);
}

void cell_add_end(struct buffer *to, const char *text, size_t width)
{
	const struct sign sign = sign_within(width);
	size_t len = strlen(text), at = 0, left = cell_width(text, len);
	bool is_cut = left > width;

	if (is_cut)
		buffer_add_text(to, sign.text);
	while (is_cut && at < len) {
		int columns;
		size_t bytes = next_character(text + at, len - at, &columns);

		/* not between a character and what combines with it */
		if (columns && left <= width - sign.columns)
			break;
		left -= columns > 0 ? (size_t)columns : 0;
		at += bytes;
	}
	buffer_add(to, text + at, len - at);
}

void cell_add_name(struct buffer *to, const char *text, size_t width, bool is_path)
{
	AUTO_BUFFER struct buffer printable = {0};

	if (!width) {
		cell_add_printable(to, text);
		return;
	}
	cell_add_printable(&printable, text);
	buffer_add_char(&printable, '\0');
	if (printable.error)
		to->error = printable.error;
	else if (is_path)
		cell_add_end(to, printable.data, width);
	else
		cell_add_cut(to, printable.data, width);
}

/* Appends a block of N eighths of a column, from U+258F (one) to U+2588 (eight). */
static void add_block(struct buffer *to, size_t n)
{
	const char block[] = {'\xe2', '\x96', (char)(0x90 - n)};

	buffer_add(to, block, sizeof(block));
}

void cell_add_bar(struct buffer *to, double part, size_t width)
{
	enum { EIGHTHS = 8 };
	bool has_blocks = cell_is_utf8();
	size_t steps = has_blocks ? EIGHTHS : 1;
	size_t filled = (size_t)(part * (double)(width * steps) + 0.5);

	for (size_t i = 0; i < filled / steps; i++)
		if (has_blocks)
			add_block(to, EIGHTHS);
		else
			buffer_add_char(to, '#');
	if (filled % steps)
		add_block(to, filled % steps);
}

size_t cell_add_folded(struct buffer *to, const char *text, size_t len, size_t at, size_t width)
{
	for (const char *end = text + len; text < end;) {
		const char *blank = memchr(text, ' ', (size_t)(end - text));
		size_t word = (size_t)((blank ? blank : end) - text);
		bool fits = !width || !at || at + 1 + word <= width;

		if (at)
			buffer_add_char(to, fits ? ' ' : '\n');
		at = fits && at ? at + 1 : 0;
		for (; width && word > width; text += width, word -= width) {
			buffer_add(to, text, width);
			buffer_add_char(to, '\n');
		}
		buffer_add(to, text, word);
		at += word;
		text += word + (blank != NULL);
	}
	return at;
}

void cell_add_phrases(struct buffer *to, const struct buffer *text, size_t at, size_t width)
{
	size_t phrase;

	for (size_t from = 0; from < text->len; from += phrase + 1) {
		const char *comma = memmem(text->data + from, text->len - from, ", ", 2);

		phrase = comma ? (size_t)(comma + 1 - text->data) - from : text->len - from;
		if (width && at && at + 1 + phrase > width) {
			buffer_add_char(to, '\n');
			at = 0;
		}
		at = cell_add_folded(to, text->data + from, phrase, at, width);
	}
}
