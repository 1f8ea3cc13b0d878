/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Prints a table as lines of text. Cells are made safe for a terminal (cli/table/cell.h), and
 * aligned by libsmartcols.
 */
#ifndef MEMTALLY_CLI_TABLE_PRINT_H
#define MEMTALLY_CLI_TABLE_PRINT_H

#include "cli/table/table.h"

/*
 * Appends TABLE to TO. WIDTH is the terminal's width in columns: long names are cut with an
 * ellipsis, prose and the text beside the total are folded. With a WIDTH of 0 (no terminal) every
 * row is one line. Control characters, newlines included, and characters that LC_CTYPE cannot print
 * appear as \x0a. Returns 0 or -ENOMEM.
 */
int print_table(const struct table *table, size_t width, struct buffer *to);

#endif
