/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is known of one process's memory, as a page of plain words and figures. Pure but for LC_CTYPE, which decides what of
 * names can be printed.
 */
#ifndef MEMTALLY_CLI_PLAIN_H
#define MEMTALLY_CLI_PLAIN_H

#include "base/buffer.h"
#include "cli/explanation.h"

/* .limit of each list, and .bytes count. */
void plain_add_page(const struct explanation *e, struct buffer *to);

#endif
