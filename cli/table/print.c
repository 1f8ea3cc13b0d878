/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "cli/table/print.h"

#include <errno.h>
#include <libsmartcols.h>
#include <limits.h>
#include <stdbool.h>
#include <string.h>

#include "base/saturate.h"
#include "cli/table/cell.h"

void table_done(struct table *t)
{
	buffer_done(&t->text);
	buffer_done(&t->total);
}

static void cleanup_table(struct libscols_table **table)
{
	scols_unref_table(*table);
}

struct layout {
	size_t width[TABLE_COLUMNS_MAX]; /* of the text in each column, at most; 0: no limit */
	bool is_hidden[TABLE_COLUMNS_MAX];
};

/*
 * Cells are printable already. With its own encoding libsmartcols would count a backslash before an
 * x as four columns.
 */
static int print_add_column(const struct table_column *c, struct libscols_table *to)
{
	bool is_prose = c->column->flags & COLUMN_PROSE;
	int flags = (column_is_right(c->column) ? SCOLS_FL_RIGHT : 0) |
	            (is_prose ? SCOLS_FL_WRAP : 0);
	struct libscols_column *column = scols_table_new_column(to, c->column->head, 0, flags);

	if (!column)
		return -ENOMEM;
	if (is_prose)
		scols_column_set_wrapfunc(
			column, scols_wrapnl_chunksize, scols_wrapnl_nextchunk, NULL);
	return 0;
}

static int print_add_columns(
	const struct table *t, const struct layout *layout, struct libscols_table *to)
{
	int r = 0;

	scols_table_enable_noencoding(to, 1);
	for (size_t i = 0; r == 0 && i < t->columns; i++)
		if (!layout->is_hidden[i])
			r = print_add_column(&t->column[i], to);
	return r;
}

static void print_add_cell(
	const struct table_column *column, const char *cell, size_t width, struct buffer *to)
{
	AUTO_BUFFER struct buffer text = {0};

	if (width && column->column->flags & COLUMN_PROSE) {
		cell_add_printable(&text, cell);
		cell_add_folded(to, text.data, text.len, 0, width);
	} else {
		cell_add_name(to, cell, width, column->column->flags & COLUMN_PATH);
	}
	if (text.error)
		to->error = text.error;
	buffer_add_char(to, '\0');
}

static int add_lines(const struct table *t, const struct layout *layout, struct libscols_table *to)
{
	AUTO_BUFFER struct buffer text = {0};
	const char *cell = t->text.data;

	for (size_t row = 0; row < t->rows; row++) {
		struct libscols_line *line = scols_table_new_line(to, NULL);
		size_t at = 0;

		if (!line)
			return -ENOMEM;
		for (size_t i = 0; i < t->columns; i++, cell += strlen(cell) + 1) {
			if (layout->is_hidden[i])
				continue;
			buffer_clear(&text);
			print_add_cell(&t->column[i], cell, layout->width[i], &text);
			if (text.error || scols_line_set_data(line, at++, text.data) < 0)
				return -ENOMEM;
		}
	}
	return 0;
}

/* Draws TABLE with the columns and widths of LAYOUT. The caller frees *RET. */
static int print_draw(const struct table *table, const struct layout *layout,
	struct libscols_table *to, char **ret)
{
	scols_table_set_termforce(to, SCOLS_TERMFORCE_NEVER);
	if (print_add_columns(table, layout, to) < 0 || add_lines(table, layout, to) < 0 ||
		scols_print_table_to_string(to, ret) < 0 || !*ret)
		return -ENOMEM;
	return 0;
}

/* Writes the width that each column of T would like to have. Returns 0 or -ENOMEM. */
static int print_measure(const struct table *t, size_t ret[static TABLE_COLUMNS_MAX])
{
	AUTO_BUFFER struct buffer text = {0};
	const char *cell = t->text.data;

	for (size_t i = 0; i < t->columns; i++)
		ret[i] = strlen(t->column[i].column->head);
	for (size_t n = 0; n < t->rows * t->columns; n++, cell += strlen(cell) + 1) {
		size_t *most = &ret[n % t->columns], width;

		buffer_clear(&text);
		cell_add_printable(&text, cell);
		if (text.error)
			return text.error;
		width = text.len ? cell_width(text.data, text.len) : 0;
		*most = width > *most ? width : *most;
	}
	return 0;
}

static bool print_may_shrink(const struct table_column *c)
{
	return c->column->flags & (COLUMN_CUT | COLUMN_PATH | COLUMN_PROSE);
}

/* How early extra columns disappear, and spare ones that are not used. */
enum { RANK_UNUSED = INT_MAX - 1, RANK_EXTRA = INT_MAX };

/* Returns how early C disappears; 0: never. */
static unsigned int print_rank(const struct table_column *c)
{
	if (c->is_kept)
		return 0;
	if (c->column->flags & COLUMN_EXTRA)
		return RANK_EXTRA;
	return c->column->flags & COLUMN_SPARE && !c->is_used ? RANK_UNUSED : c->column->drop;
}

/* Returns the column of T that disappears next; the number of columns if none may. */
static size_t print_choose(const struct table *t, const struct layout *layout)
{
	size_t chosen = t->columns;
	unsigned int highest = 0;

	for (size_t i = 0; i < t->columns; i++) {
		unsigned int rank = layout->is_hidden[i] ? 0 : print_rank(&t->column[i]);

		if (rank > highest) {
			highest = rank;
			chosen = i;
		}
	}
	return chosen;
}

/* Returns the width of the columns of T that are shown, each of WIDTHS. */
static size_t print_sum(const struct table *t, const size_t *widths, const struct layout *layout)
{
	size_t all = 0;

	for (size_t i = 0; i < t->columns; i++)
		if (!layout->is_hidden[i])
			all += widths[i] + (all > 0);
	return all;
}

/*
 * Hides columns of T until the others fit in WIDTH, or until none may disappear. WANTED is the
 * width of each column. Extra columns and unused spare ones give way to whole names; others only to
 * names and prose of CELL_NAME_KEPT columns.
 */
static void print_drop_columns(
	const struct table *t, const size_t *wanted, size_t width, struct layout *layout)
{
	size_t kept[TABLE_COLUMNS_MAX], next;

	for (size_t i = 0; i < t->columns; i++)
		kept[i] = print_may_shrink(&t->column[i]) ? saturate_min(wanted[i], CELL_NAME_KEPT)
		                                          : wanted[i];
	while ((next = print_choose(t, layout)) < t->columns) {
		bool is_worthless = print_rank(&t->column[next]) >= RANK_UNUSED;

		if (print_sum(t, is_worthless ? wanted : kept, layout) <= width)
			return;
		layout->is_hidden[next] = true;
	}
}

/*
 * Narrows the widest column of names, which are cut, or of prose, which is folded, again and again,
 * until all fits in WIDTH or none may be narrowed.
 */
static void print_narrow(const struct table *t, size_t *wanted, size_t width, struct layout *layout)
{
	size_t widest;

	for (size_t all = print_sum(t, wanted, layout); all > width; all--) {
		widest = t->columns;
		for (size_t i = 0; i < t->columns; i++)
			if (!layout->is_hidden[i] && print_may_shrink(&t->column[i]) &&
				wanted[i] > CELL_NAME_MIN &&
				(widest == t->columns || wanted[i] > wanted[widest]))
				widest = i;
		if (widest == t->columns)
			return;
		layout->width[widest] = --wanted[widest];
	}
}

/* Writes the layout of T for a terminal of WIDTH columns. Returns 0 or -ENOMEM. */
static int find_layout(const struct table *t, size_t width, struct layout *ret)
{
	size_t wanted[TABLE_COLUMNS_MAX];
	int r = print_measure(t, wanted);

	if (r < 0)
		return r;
	print_drop_columns(t, wanted, width, ret);
	print_narrow(t, wanted, width, ret);
	return 0;
}

/*
 * Returns the length of the line at TEXT without trailing blanks. *RET_NEXT is the start of the
 * next line.
 */
static size_t print_trimmed(const char *text, const char **ret_next)
{
	size_t len = strcspn(text, "\n");

	*ret_next = text + len + (text[len] == '\n');
	while (len && text[len - 1] == ' ')
		len--;
	return len;
}

/* Moves *CELL behind a row of T. Returns true if the row has a note that is shown. */
static bool print_is_noted(const struct table *t, const struct layout *layout, const char **cell)
{
	bool is_noted = false;

	for (size_t i = 0; i < t->columns; i++, *cell += strlen(*cell) + 1)
		is_noted |= t->column[i].column->flags & COLUMN_NOTE && !layout->is_hidden[i] &&
		            **cell;
	return is_noted;
}

/* Appends LEN bytes of TEXT in STYLE; NULL: plain. */
static void print_add_styled(struct buffer *to, const char *text, size_t len, const char *style)
{
	if (style)
		buffer_add_text(to, style);
	buffer_add(to, text, len);
	if (style)
		buffer_add_text(to, PRINT_PLAIN);
}

/*
 * Appends the drawn TEXT line by line, with a rule above the total and TABLE->total beside it. Rows
 * with notes have one line each: tables with notes have no prose.
 */
static void add_lines_of(struct buffer *to, const char *text, const struct table *table,
	const struct layout *layout, size_t width)
{
	size_t head = strcspn(text, "\n"), lines = 0;
	const char *cell = table->text.data;

	for (const char *next; *text; text = next, lines++) {
		size_t len = print_trimmed(text, &next);
		bool is_total = table->has_total && !*next;
		const char *style = lines ? NULL : PRINT_BOLD;

		if (lines && lines <= table->rows && print_is_noted(table, layout, &cell))
			style = PRINT_DIM;
		for (size_t i = 0; is_total && i < head; i++)
			buffer_add_char(to, i + 1 < head ? '-' : '\n');
		print_add_styled(to, text, len, table->has_styles ? style : NULL);
		if (is_total)
			cell_add_phrases(to, &table->total, len, width);
		buffer_add_char(to, '\n');
	}
}

int print_table(const struct table *table, size_t width, struct buffer *to)
{
	CLEANUP(cleanup_table) struct libscols_table *t = scols_new_table();
	AUTO_FREE char *text = NULL;
	struct layout layout = {0};
	int r = t ? 0 : -ENOMEM;

	if (r == 0 && width)
		r = find_layout(table, width, &layout);
	if (r == 0)
		r = print_draw(table, &layout, t, &text);
	if (r < 0)
		return r;
	add_lines_of(to, text, table, &layout, width);
	return to->error;
}
