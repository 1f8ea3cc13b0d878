/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Texts as comma-separated values have them: RFC 4180, but for the ends of lines. Pure.
 */
#ifndef MEMTALLY_CLI_CSV_H
#define MEMTALLY_CLI_CSV_H

#include "base/buffer.h"

/*
 * Appends TEXT, in quotes where it needs them. What a spreadsheet may take for a formula has a single quote before it, and so
 * has what begins with one: whoever takes one off has all texts as they are.
 */
void csv_add_text(struct buffer *to, const char *text);

#endif
