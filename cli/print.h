/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A table as lines of text: cells that are safe for a terminal (cli/cell.h), aligned by libsmartcols.
 */
#ifndef MEMTALLY_CLI_PRINT_H
#define MEMTALLY_CLI_PRINT_H

#include "cli/table.h"

/*
 * Appends TABLE to TO. WIDTH is the terminal's, to which long names are cut with a sign, prose and the
 * total's text are folded; 0: no terminal, every row is one line. Control characters, newlines among them,
 * stand as \x0a; what LC_CTYPE can't print, too. -ENOMEM.
 */
int print_table(const struct table *table, size_t width, struct buffer *to);

#endif
