/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lines of text with a name before them: of the report on memtallyd (cli/lists/report.h) and of
 * `memtally explain` (cli/explain/explain-page.h).
 */
#ifndef MEMTALLY_CLI_TABLE_LINE_H
#define MEMTALLY_CLI_TABLE_LINE_H

#include <stdint.h>

#include "base/buffer.h"

/*
 * Starts a line: appends NAME, padded to 12 columns, where the text of every line starts. An empty
 * NAME continues the line above.
 */
void line_begin(struct buffer *to, const char *name);

/*
 * Appends TEXT, lines that end in newlines, to TO. Breaks lines that are wider than WIDTH columns
 * at blanks; words stay whole. The rest of a line begins below its text: at the column behind the
 * name, or in a row of a list at the one behind the amount. With a WIDTH of 0 no line is broken.
 */
void line_fold(const struct buffer *text, size_t width, struct buffer *to);

/* Appends COUNT, then the text ONE if COUNT is 1, else MANY. */
void line_add_count(struct buffer *to, uint64_t count, const char *one, const char *many);

#endif
