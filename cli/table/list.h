/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lists
 *
 * Draws rows of any type by a table of columns (cli/table/column.h): as an aligned table, as lines
 * with fixed widths, as objects of a JSON array or as comma-separated values. Only an aligned table
 * keeps its cells; in the other forms rows are printed as they come.
 *
 * Protocol: set the first fields; begin; add for each row; total; end; done.
 */
#ifndef MEMTALLY_CLI_TABLE_LIST_H
#define MEMTALLY_CLI_TABLE_LIST_H

#include "cli/table/column.h"
#include "cli/table/print.h"

/* The forms of a list, as bits of column.forms. */
enum list_form {
	LIST_TABLE = 1 << 0, /* aligned by the longest cells of each column */
	/*
	 * Columns of fixed widths, for lists that are too long to be kept. A cell that is wider
	 * than its column moves the next cells of its line to the right, no further than it must.
	 * Amounts are in KiB. If the terminal is too narrow, columns disappear and names are cut as
	 * in a table, but spare columns do not go first, because later rows may use them.
	 */
	LIST_LINES = 1 << 1,
	LIST_JSON = 1 << 2,
	LIST_CSV = 1 << 3,
	/* list_add_sums() alone: the columns of JSON, and those that only sums have */
	LIST_SUMS = 1 << 4,
};

/* Returns the form that options ask for: JSON, CSV, or else OTHER. */
static inline enum list_form list_form_of(bool json, bool csv, enum list_form other)
{
	return json ? LIST_JSON : csv ? LIST_CSV : other;
}

enum { LIST_COLUMNS_MAX = 128 };

/* How the user wants lists to be shown. */
struct list_look {
	enum list_form form;
	bool bytes;      /* exact bytes */
	bool has_styles; /* heads are bold, rows with a visible note dim (COLUMN_NOTE) */
	size_t limit;    /* rows to show; 0: all */
	size_t width;    /* the terminal's, in columns; 0: none */
};

struct list {
	/* Set by the caller; all but the first three and .to may be zero. */
	const struct column *column; /* borrowed, as all pointers here */
	size_t columns;
	enum list_form form;
	struct buffer *to;      /* output; full buffers go to standard output */
	const void *context;    /* for .get of the columns */
	unsigned int variant;   /* the variants that the list is, for .only of the columns */
	bool has_no_rule;       /* in lines: no rule stands above the total */
	bool bytes, has_styles; /* this and the next two as in struct list_look */
	size_t limit, width;
	/* a column that never disappears, because rows are sorted by it; NULL: none */
	const struct column *sort;
	/*
	 * Appends members of JSON to a row, each with a comma before it; NULL: no others. Returns 0;
	 * the error of TO; or a negative errno of write().
	 */
	int (*add_members)(const struct list *l, const void *row, struct buffer *to);

	size_t rows, shown; /* rows that were added, and those that were not beyond the limit */

	/* For list.c alone. */
	const struct column *order[LIST_COLUMNS_MAX]; /* the columns of the form, in order */
	size_t count;
	struct table table;
	struct buffer room, cell;
};

/* Returns a list of COLUMNS with the LOOK. CONTEXT is for .get of the columns. Not begun. */
struct list list_make(const struct columns *columns, const struct list_look *look,
	const void *context, struct buffer *to);

/* Frees what L owns. */
void list_done(struct list *l);
#define AUTO_LIST CLEANUP(list_done)

/* Keeps the first column with COLUMN_SORT and .index INDEX, if there is one, on narrow terminals. */
void list_keep_sort(struct list *l, unsigned int index);

/* Begins the list; in lines and CSV appends the heads. */
void list_begin(struct list *l);

/* Adds ROW. Returns 0; the error of .to; or a negative errno of write(). */
int list_add(struct list *l, const void *row);

/*
 * Adds the total, a row of the same type, to a table or lines, with the text BESIDE it; does
 * nothing in other forms. Columns without COLUMN_SUM have no value.
 */
void list_total(struct list *l, const void *row, const struct buffer *beside);

/* Appends " (2 not shown)" to TO if the limit left out 2 rows; nothing if it left out none. */
void list_add_not_shown(const struct list *l, struct buffer *to);

/*
 * Ends the list: appends an aligned table; in CSV, which has no room for it, logs how many rows are
 * shown if the limit left some out. Returns 0, or the error of .to.
 */
int list_end(struct list *l);

/*
 * Appends a JSON object with the columns of ROW that have COLUMN_SUM. Whatever the form of L, .get of
 * its columns sees LIST_SUMS. L need not have begun.
 */
void list_add_sums(const struct list *l, const void *row, struct buffer *to);

/*
 * Returns the first column with COLUMN_SORT that has the name NAME in tables or in JSON, in small
 * letters or capitals; NULL: there is none.
 */
const struct column *list_find_sort(const struct columns *columns, const char *name);

#endif
