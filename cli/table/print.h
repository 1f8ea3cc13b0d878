/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Prints a table as lines of text. Cells are made safe for a terminal (cli/table/cell.h), and
 * aligned by libsmartcols.
 */
#ifndef MEMTALLY_CLI_TABLE_PRINT_H
#define MEMTALLY_CLI_TABLE_PRINT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buffer.h"
#include "cli/table/column.h"

enum { TABLE_COLUMNS_MAX = 16 };

struct table_column {
	const struct column *column; /* borrowed; it has a head */
	bool is_used;                /* a row has a value but 0 */
	bool is_kept;                /* it never disappears */
};

struct table {
	struct table_column column[TABLE_COLUMNS_MAX];
	size_t columns;
	/* cells row by row, each terminated by a zero byte; clean text (base/text.h) */
	struct buffer text;
	size_t rows;         /* including the total */
	bool has_total;      /* the last row is a total: it has no name and no note, but .total */
	struct buffer total; /* text beside the total; clean */
	/* The heads are bold, and a row with a visible note is dim. */
	bool has_styles;
};

/* Escape sequences of a terminal (ECMA-48). */
#define PRINT_BOLD  "\033[1m"
#define PRINT_DIM   "\033[2m"
#define PRINT_PLAIN "\033[0m"

/* Frees what T owns. */
void table_done(struct table *t);
#define AUTO_TABLE CLEANUP(table_done)

/*
 * Appends TABLE to TO. WIDTH is the terminal's width in columns. If the table is wider, extra and
 * unused spare columns disappear, then those with the highest .drop until names have 24 columns;
 * then names are cut with an ellipsis, the widest first, and prose is folded, to 16 columns at
 * least. The text beside the total is folded. With a WIDTH of 0 (no terminal) every row is one
 * line. Control characters, newlines included, and characters that LC_CTYPE cannot print appear as
 * \x0a. Returns 0 or -ENOMEM.
 */
int print_table(const struct table *table, size_t width, struct buffer *to);

#endif
