/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of owners and processes of a snapshot. */
#ifndef MEMTALLY_CLI_LISTS_OWNER_ROWS_H
#define MEMTALLY_CLI_LISTS_OWNER_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/common/sort-names.h"
#include "cli/table/list.h"
#include "snapshot/query.h"
#include "snapshot/sums.h"
#include "snapshot/view.h"

/* The rows of a list, and how to show them. */
struct owner_rows {
	enum metric_scope scope; /* METRIC_USER to METRIC_PROCESS */
	const struct query *query;
	const uint32_t *row;   /* borrowed; indices in VIEW, in the order to show */
	size_t count;          /* rows; the total is of all of them */
	struct list_look look; /* as a table or CSV */
	/* borrowed; of all rows: its bounds and counts are shown beside the total */
	const struct sums *sums;
	/*
	 * borrowed; the host's row of a snapshot with all users, if the rows are only those of one
	 * user; else NULL
	 */
	const struct snapshot_scope *everybodys;
};

/*
 * Prints ROWS, and appends them to TO. Full buffers go to standard output. CSV has all fields that
 * JSON has, and a column for each label of a field, such as "unmeasured_processes.denied".
 *
 * A table has PSS, its percentage of MemTotal, USS, RSS, SwapPss, the cgroup charge if any row has
 * one, the metric that ROWS->query sorts by (a charge only if any row has one), names, and a note
 * (cli/table/note.h) if any row has one. On a terminal of 110 columns or more it has bars of the
 * PSS, unless they leave no room for other columns. The last row is the total; the host's MemTotal
 * and a note stand beside it. Rows of owners without processes are left out.
 *
 * Returns 0, -ENOMEM, or a negative errno of write().
 */
int owner_rows_print(const struct view *view, const struct owner_rows *rows, struct buffer *to);

/* Returns false if ROWS are sorted by a charge of cgroups and none of them has one. */
bool owner_rows_can_sort(const struct view *view, const struct owner_rows *rows);

/*
 * Writes to TO the name in JSON of the column that has the name NAME in tables or in JSON of any
 * kind of rows, in small letters or capitals. Returns TO. Returns NULL, with TO undefined, if there
 * is none.
 */
char *owner_rows_find_sort(const char *name, char to[static METRIC_NAME_SIZE]);

/* Adds the columns of a table of SCOPE that --sort takes. */
void owner_rows_add_sorts(enum metric_scope scope, struct sort_names *to);

/* Refuses SORT, by which rows of SCOPE cannot be sorted, as sort_names_refuse(). */
void owner_rows_refuse_sort(
	enum metric_scope scope, const char *sort, char error[static QUERY_ERROR_SIZE]);

#endif
