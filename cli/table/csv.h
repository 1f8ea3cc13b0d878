/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Comma-separated values
 *
 * Formats text as RFC 4180 says, except that lines end with a line feed. Pure.
 */
#ifndef MEMTALLY_CLI_TABLE_CSV_H
#define MEMTALLY_CLI_TABLE_CSV_H

#include "base/buffer.h"

/*
 * Appends TEXT, in double quotes if it needs them. A text that a spreadsheet may take for a formula
 * gets a single quote in front, and so does a text that starts with a single quote. So a reader
 * restores every text by removing one single quote at the start.
 */
void csv_add_text(struct buffer *to, const char *text);

#endif
