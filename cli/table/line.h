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

/* Appends COUNT, then the text ONE if COUNT is 1, else MANY. */
void line_add_count(struct buffer *to, uint64_t count, const char *one, const char *many);

#endif
