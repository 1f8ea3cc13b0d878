/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "cli/print.h"

#include <errno.h>
#include <libsmartcols.h>
#include <stdbool.h>
#include <string.h>

static void cleanup_table(struct libscols_table **table)
{
	scols_unref_table(*table);
}

static int add_columns(const struct table *t, size_t width, struct libscols_table *to)
{
	for (size_t i = 0; i < t->columns; i++) {
		const struct table_column *c = &t->column[i];
		int flags = c->is_right ? SCOLS_FL_RIGHT : 0;
		struct libscols_column *column;

		if (c->is_wide && width)
			flags |= SCOLS_FL_TRUNC;
		if (c->is_prose && width)
			flags |= SCOLS_FL_WRAP;
		column = scols_table_new_column(
			to, c->head, (c->is_wide || c->is_prose) && width ? 0.5 : 0, flags);
		/* Unit names are full of backslashes, which harm nobody. */
		if (!column || scols_column_set_safechars(column, "\\") < 0)
			return -ENOMEM;
	}
	return 0;
}

static int add_lines(const struct table *t, struct libscols_table *to)
{
	const char *cell = t->text.data;

	for (size_t row = 0; row < t->rows; row++) {
		struct libscols_line *line = scols_table_new_line(to, NULL);

		if (!line)
			return -ENOMEM;
		for (size_t i = 0; i < t->columns; i++, cell += strlen(cell) + 1)
			if (scols_line_set_data(line, i, cell) < 0)
				return -ENOMEM;
	}
	return 0;
}

/* The line at TEXT without the blanks at its end: its length, and where the next one begins. */
static size_t trimmed(const char *text, const char **ret_next)
{
	size_t len = strcspn(text, "\n");

	*ret_next = text + len + (text[len] == '\n');
	while (len && text[len - 1] == ' ')
		len--;
	return len;
}

/*
 * TEXT, which is plain ASCII, after AT columns of a line: broken at blanks where a terminal of WIDTH
 * columns, if it is one, would break it anywhere.
 */
static void add_folded(
	struct buffer *to, const char *text, size_t text_len, size_t at, size_t width)
{
	for (const char *end = text + text_len; text < end;) {
		const char *blank = memchr(text, ' ', (size_t)(end - text));
		size_t len = (size_t)((blank ? blank : end) - text);
		bool fits = !width || !at || at + 1 + len <= width;

		if (at)
			buffer_add_char(to, fits ? ' ' : '\n');
		buffer_add(to, text, len);
		at = fits && at ? at + 1 + len : len;
		text += len + (blank != NULL);
	}
}

/* TEXT line by line; above the total a rule, beside it what is to be said of it. */
static void add_lines_of(
	struct buffer *to, const char *text, const struct table *table, size_t width)
{
	size_t head = strcspn(text, "\n");

	for (const char *next; *text; text = next) {
		size_t len = trimmed(text, &next);
		bool is_total = table->has_total && !*next;

		for (size_t i = 0; is_total && i < head; i++)
			buffer_add_char(to, i + 1 < head ? '-' : '\n');
		buffer_add(to, text, len);
		if (is_total)
			add_folded(to, table->total.data, table->total.len, len, width);
		buffer_add_char(to, '\n');
	}
}

int print_table(const struct table *table, size_t width, struct buffer *to)
{
	CLEANUP(cleanup_table) struct libscols_table *t = scols_new_table();
	AUTO_FREE char *text = NULL;

	if (!t)
		return -ENOMEM;
	scols_table_set_termforce(t, width ? SCOLS_TERMFORCE_ALWAYS : SCOLS_TERMFORCE_NEVER);
	if (width)
		scols_table_set_termwidth(t, width);
	if (add_columns(table, width, t) < 0 || add_lines(table, t) < 0 ||
		scols_print_table_to_string(t, &text) < 0 || !text)
		return -ENOMEM;
	add_lines_of(to, text, table, width);
	return to->error;
}
