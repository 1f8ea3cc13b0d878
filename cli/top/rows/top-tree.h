/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Order of rows
 *
 * Sorts rows, sums up the rows below each row, and lists those in open branches. A flat list
 * is a tree in which no row has a parent. Pure.
 */
#ifndef MEMTALLY_CLI_TOP_ROWS_TOP_TREE_H
#define MEMTALLY_CLI_TOP_ROWS_TOP_TREE_H

#include <stddef.h>
#include <stdint.h>

#include "cli/top/rows/top-columns.h"
#include "cli/top/rows/top-row.h"
#include "cli/top/rows/top-state.h"

/* A row while it is sorted among the rows of its parent. */
struct top_tree_place {
	union {
		int64_t rank;
		const char *text; /* if rows are sorted by a text */
	};
	uint32_t parent;
	uint32_t row : 31;
	uint32_t is_absent : 1; /* it has no value, and comes last */
};

/* Zeroed: empty. */
struct top_tree {
	struct top_tree_place *place; /* owned */
	uint32_t *spare;              /* owned; two numbers a row */
	size_t places, spares;        /* room */
};

/* Frees what T owns, and empties it. */
void top_tree_done(struct top_tree *t);

/*
 * Adds the amounts of each of the COUNT rows at ROW to its parent's, and counts children. The parents
 * of rows that are their own ancestors are forgotten. HOST is the host's row. Returns 0 or -ENOMEM.
 */
int top_tree_sum(
	struct top_tree *t, struct top_row *row, size_t count, const struct snapshot_scope *host);

/*
 * Sorts the COUNT rows at ROW as ASKS say, and writes the numbers of the visible ones in their order
 * to RET, which has room for all, and their number to *RET_COUNT. Sets the depths of rows and their
 * places among the rows of their parents. Call top_tree_sum() first. Returns 0 or -ENOMEM.
 */
int top_tree_order(struct top_tree *t, const struct top_glance *glance, const struct top_asks *asks,
	struct top_row *row, size_t count, uint32_t *ret, size_t *ret_count);

#endif
