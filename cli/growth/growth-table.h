/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tables of growth
 *
 * The verdicts on owners and processes as a table, JSON or comma-separated values. Pure except for
 * TZ, because tables show local time.
 */
#ifndef MEMTALLY_CLI_GROWTH_GROWTH_TABLE_H
#define MEMTALLY_CLI_GROWTH_GROWTH_TABLE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buffer.h"
#include "growth/growth-rows.h"
#include "cli/table/list.h"

struct growth_table {
	const struct growth_rows *rows; /* borrowed; judged */
	struct list_look look;
	bool has_all;     /* also rows that do not grow, and rows without a verdict */
	bool is_own_only; /* the processes are the user's own */
	bool is_failing;  /* recording fails at present */
	size_t damaged;   /* snapshots that could not be read */
};

/* Returns the number of rows that are shown if the limit allows. */
size_t growth_table_rows(const struct growth_table *t);

/* Appends the rows. Returns 0, -ENOMEM, or a negative errno of write(). */
int growth_table_print(const struct growth_table *t, struct buffer *to);

#endif
