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
		column = scols_table_new_column(to, c->head, c->is_wide && width ? 0.5 : 0, flags);
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

/* TEXT line by line; above the total a rule, beside it what is to be said of it. */
static void add_lines_of(struct buffer *to, const char *text, const struct table *table)
{
	size_t head = strcspn(text, "\n");

	for (const char *next; *text; text = next) {
		size_t len = trimmed(text, &next);
		bool is_total = table->has_total && !*next;

		for (size_t i = 0; is_total && i < head; i++)
			buffer_add_char(to, i + 1 < head ? '-' : '\n');
		buffer_add(to, text, len);
		if (is_total) {
			buffer_add_char(to, ' ');
			buffer_add(to, table->total.data, table->total.len);
		}
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
	add_lines_of(to, text, table);
	return to->error;
}
