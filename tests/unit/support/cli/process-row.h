/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of memtally top for processes of a snapshot. */
#ifndef MEMTALLY_TESTS_UNIT_SUPPORT_CLI_PROCESS_ROW_H
#define MEMTALLY_TESTS_UNIT_SUPPORT_CLI_PROCESS_ROW_H

#include "tests/unit/support/unit.h"

#include "cli/top/rows/top-row.h"

/* The secret of the keys of all rows. */
static const struct siphash_key process_row_secret = {{1, 2}};

/* Returns the row of process PID, which VIEW has; VIEW is borrowed. */
static inline struct top_row process_row(const struct view *view, uint32_t pid)
{
	const struct snapshot_process *p = view_find_process(view, pid);
	struct top_row row;

	assert_non_null(p);
	top_row_of_process(view, p, &process_row_secret, &row);
	return row;
}

#endif
