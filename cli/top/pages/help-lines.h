/* SPDX-License-Identifier: Apache-2.0 */
/* The help page of `memtally top`: its keys, its columns, and what the screen shows. Pure. */
#ifndef MEMTALLY_CLI_TOP_PAGES_HELP_LINES_H
#define MEMTALLY_CLI_TOP_PAGES_HELP_LINES_H

#include <stddef.h>

#include "base/buffer.h"

/* Appends the lines of the help page, at most WIDTH columns wide if WIDTH is 40 or more. */
void help_lines_add(size_t width, struct buffer *to);

#endif
