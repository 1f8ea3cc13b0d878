/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows of `memtally compare`, which are namegroups. Pure, except that full buffers go to standard
 * output.
 */
#ifndef MEMTALLY_CLI_COMPARE_COMPARE_ROW_H
#define MEMTALLY_CLI_COMPARE_COMPARE_ROW_H

#include "base/buffer.h"
#include "cli/compare/comparison.h"
#include "cli/table/list.h"

/*
 * Appends the rows of C: a table with a total, a whole JSON object, or comma-separated values.
 * Returns 0, -ENOMEM, or a negative errno of write().
 */
int compare_row_print(const struct comparison *c, const struct list_look *look, struct buffer *to);

#endif
