/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What lines of the report on memtallyd have in common.
 */
#ifndef MEMTALLY_CLI_LINE_H
#define MEMTALLY_CLI_LINE_H

#include <stdint.h>

#include "base/buffer.h"

/* NAME, and blanks up to where every line's text begins; "": the line goes on with what the one above is about. */
void line_begin(struct buffer *to, const char *name);

/* COUNT, and ONE after 1, else MANY. */
void line_add_count(struct buffer *to, uint64_t count, const char *one, const char *many);

#endif
