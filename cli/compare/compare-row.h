/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows of `memtally compare`, which are namegroups. Pure, except that full buffers go to standard
 * output.
 */
#ifndef MEMTALLY_CLI_COMPARE_COMPARE_ROW_H
#define MEMTALLY_CLI_COMPARE_COMPARE_ROW_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buffer.h"
#include "cli/compare/comparison.h"
#include "cli/table/list.h"

/* The form of the list. */
struct compare_form {
	enum list_form form; /* a table, JSON or CSV */
	size_t limit;        /* rows to show; 0: all */
	bool bytes;          /* exact bytes, instead of KiB, MiB ... */
	size_t width;        /* columns of the terminal; 0: none */
	bool has_styles;
};

/*
 * Appends the rows of C: a table with a total, a whole JSON object, or comma-separated values.
 * Returns 0, -ENOMEM, or a negative errno of write().
 */
int compare_row_print(
	const struct comparison *c, const struct compare_form *form, struct buffer *to);

#endif
