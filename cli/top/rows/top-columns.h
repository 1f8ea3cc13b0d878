/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Columns of `memtally top`
 *
 * The table of columns: head, key, width, which disappear first on a narrow terminal, the value by
 * which rows are sorted, and its text. The help page and the menu of columns are made from it. Pure
 * except for LC_CTYPE, which says whether blocks and a plus-minus sign can be printed.
 */
#ifndef MEMTALLY_CLI_TOP_ROWS_TOP_COLUMNS_H
#define MEMTALLY_CLI_TOP_ROWS_TOP_COLUMNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "cli/top/cells/style.h"
#include "cli/top/rows/top-row.h"
#include "cli/top/rows/top-state.h"

/* The least columns of the name, which has the rest of the line; and in a tree. */
enum { TOP_NAME_MIN = 16, TOP_NAME_TREE_MIN = 26 };

struct top_column_spec {
	const char *name;  /* in -s; NULL: rows cannot be sorted by it */
	const char *field; /* its name in JSON, which -s takes, too; NULL: it has none */
	const char *head;
	const char *help; /* a sentence without its full stop */
	char key;         /* sorts by the column; 0: rows cannot be sorted by it */
	unsigned int width;
	bool is_left;       /* texts begin at the left; numbers end at the right */
	bool is_text;       /* its order is that of texts, from A on */
	unsigned int drop;  /* columns with the highest number disappear first; 0: never */
	unsigned int views; /* a bit for each enum top_view that has the column */
};

/* Returns the column C. */
const struct top_column_spec *top_columns_spec(enum top_column c);

/* Returns the head of column C in VIEW. */
const char *top_columns_head(enum top_column c, enum top_view view);

/* Returns true if column C is a growth. */
bool top_columns_is_growth(enum top_column c);

/*
 * Appends the head of column C in VIEW. That of a growth over less than its whole span, by KNOWN, has
 * the known one: "+35s", "+4min".
 */
void top_columns_add_head(
	enum top_column c, enum top_view view, const struct top_known *known, struct buffer *to);

/*
 * Returns the column with the name NAME, here or in JSON, in small letters or capitals; TOP_COLUMNS:
 * there is none.
 */
enum top_column top_columns_find(const char *name);

/*
 * Writes the columns of VIEW that fit into WIDTH columns to RET, in the order of the screen, the name
 * last. The column SORT stays as long as there is room for it and the name. Returns their number.
 */
size_t top_columns_fit(enum top_view view, size_t width, enum top_column sort,
	enum top_column ret[static TOP_COLUMNS]);

/*
 * Writes the number by which rows are sorted by column C to *RET. Returns false if R has none. C is
 * not a text.
 */
bool top_columns_rank(enum top_column c, const struct top_row *r, int64_t *ret);

/* Returns the text by which rows are sorted by column C, which is a text. */
const char *top_columns_text(
	const struct top_glance *g, enum top_column c, const struct top_row *r);

/*
 * Appends the text of column C of row R; "-" if there is no value. Growth and trend need
 * top_row_remember(). The text of the name is that of .name. Returns its style.
 */
enum style top_columns_add(
	const struct top_glance *g, enum top_column c, const struct top_row *r, struct buffer *to);

#endif
