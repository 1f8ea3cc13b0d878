/* SPDX-License-Identifier: Apache-2.0 */
/* What owner-rows.c and owner-rows-columns.c share. */
#ifndef MEMTALLY_CLI_LISTS_OWNER_ROWS_PRIVATE_H
#define MEMTALLY_CLI_LISTS_OWNER_ROWS_PRIVATE_H

#include "cli/lists/owner-rows.h"
#include "cli/table/note.h"

/* The parts of a row that a list needs, of any scope. */
struct owner_row {
	const struct snapshot_process *process; /* NULL: the row is an owner's, or the total */
	const struct snapshot_scope *owner;     /* NULL: the row is a process's, or the total */
	const char *name;
	uint64_t present;
	const uint64_t *q;
};

/* The list under construction. */
struct owner_rows_build {
	const struct view *view;
	const struct owner_rows *rows;
	struct list *to;
	struct column column[LIST_COLUMNS_MAX];
	const struct metric *metric[LIST_COLUMNS_MAX];
	char name[LIST_COLUMNS_MAX][2 * METRIC_NAME_SIZE];
	size_t columns;
	uint64_t largest; /* PSS of a row, bytes */
	bool has_none;    /* a row is that of processes without an owner of the kind */
};

/* Gets row I of the view. */
void owner_rows_get(const struct owner_rows_build *b, uint32_t i, struct owner_row *ret);

/*
 * Gets the value of METRIC; if METRIC has a label, the sum over its family, by which a query sorts,
 * too. Returns false if it is absent.
 */
bool owner_rows_get_value(const struct metric *metric, enum metric_scope scope,
	const struct owner_row *row, uint64_t *ret);

/* Makes in *RET the note of ROW. */
void owner_rows_note_of(const struct owner_row *row, struct note *ret);

/* Adds the columns of the list, with one for notes if HAS_NOTES. */
void owner_rows_add_columns(struct owner_rows_build *b, bool has_notes);

/*
 * Returns the metric of column I if a table shows it and its values add up: high-water marks and ages
 * do not, nor do charges of cgroups, which contain each other. Otherwise returns NULL.
 */
const struct metric *owner_rows_summed(const struct owner_rows_build *b, size_t i);

#endif
