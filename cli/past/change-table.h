/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tables of changes
 *
 * Changes of rows (cli/past/change.h) as a table, JSON or comma-separated values. Pure.
 */
#ifndef MEMTALLY_CLI_PAST_CHANGE_TABLE_H
#define MEMTALLY_CLI_PAST_CHANGE_TABLE_H

#include <stdint.h>

#include "base/buffer.h"
#include "cli/past/change.h"
#include "cli/table/list.h"

struct change_table {
	const struct change *change; /* borrowed; sorted */
	const char *title;           /* of the object in JSON: "span" or "diff" */
	bool has_range;              /* with columns of the least and most PSS */
	bool is_own_only;            /* the rows are of the user's own processes alone */
	enum change_field sort;      /* its column stays on a narrow terminal */
	struct list_look look;
	uint64_t first_ns, last_ns; /* CLOCK_REALTIME of the first and the last snapshot */
};

/* The columns; those that --sort takes have an enum change_field as .index. */
extern const struct columns change_table_columns;

/*
 * Appends the rows with their total. A table says in a note which rows are new or gone, and the
 * bounds of a growth if they are at least 1 MiB and 5 % of it apart. Full buffers go to standard
 * output. Returns 0, -ENOMEM, or a negative errno of write().
 */
int change_table_print(const struct change_table *t, struct buffer *to);

#endif
