/* SPDX-License-Identifier: Apache-2.0 */
/* The command line of a process on the page of details. A process can choose any bytes for it. Pure. */
#ifndef MEMTALLY_CLI_TOP_PAGES_COMMAND_LINE_H
#define MEMTALLY_CLI_TOP_PAGES_COMMAND_LINE_H

#include <stddef.h>

#include "base/buffer.h"

enum { COMMAND_LINE_MAX = 4096 }; /* bytes that are shown */

/*
 * Appends a head and the LEN bytes at TEXT, arguments that each end with a 0, cleaned, in lines of at
 * most WIDTH columns. If there are more than COMMAND_LINE_MAX, says that this is the beginning. Appends
 * nothing without a text: kernel threads have none, and some files may not be read.
 */
void command_line_add(struct buffer *to, const char *text, size_t len, size_t width);

#endif
