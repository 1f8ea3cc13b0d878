/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows of a bill
 *
 * A row of an answer of memtally-ledger with the figures that follow from it, and the choice and
 * order of rows. Pure.
 */
#ifndef MEMTALLY_CLI_USAGE_USAGE_LINE_H
#define MEMTALLY_CLI_USAGE_USAGE_LINE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buffer.h"
#include "cli/table/column.h"
#include "config/option.h"
#include "snapshot/usage.h"

struct usage_line {
	struct usage_row row;         /* borrows the answer's texts */
	bool has_mean, has_processes; /* the next two are known */
	double mean_bytes, processes; /* means over the time that was measured: PSS; processes */
};

/* Makes in *RET the item for ROW of the answer with HEAD. It borrows the texts of ROW. */
void usage_line_of(
	const struct usage_head *head, const struct usage_row *row, struct usage_line *ret);

/* Returns true if the row has quantity I. */
bool usage_line_has(const struct usage_line *item, enum usage_quantity i);

/* Returns true if none of its memory could be read, so that no sum contains it. */
bool usage_line_is_unread(const struct usage_line *item);

/* A GiB hour in KiB seconds. */
#define USAGE_LINE_GIB_HOUR (3600.0 * 1048576.0)

/* Quantities in the order of JSON and comma-separated values. */
enum usage_line_field {
	USAGE_LINE_PSS,           /* PSS over time, in byte seconds */
	USAGE_LINE_PSS_HOURS,     /* the same in GiB hours */
	USAGE_LINE_MEAN,          /* mean PSS, bytes */
	USAGE_LINE_MAX,           /* largest PSS, bytes */
	USAGE_LINE_SWAP,          /* SwapPss over time, in byte seconds */
	USAGE_LINE_SWAP_HOURS,    /* the same in GiB hours */
	USAGE_LINE_PROCESSES,     /* mean number of processes */
	USAGE_LINE_PROCESSES_MAX, /* largest number of processes */
	USAGE_LINE_FIELDS
};

/*
 * Gets the value of FIELD: byte seconds are .text, means of processes and GiB hours .real, others
 * .number. The mean PSS is rounded, and at most 2^63. Returns false if it is absent.
 */
bool usage_line_get(
	const struct usage_line *item, enum usage_line_field field, struct column_value *ret);

/* The choice of items and their order; zeroed: all items, largest PSS first. */
struct usage_line_choice {
	enum usage_line_field sort; /* USAGE_LINE_FIELDS: by name, then by user */
	bool ascending;
	const struct text_list *names; /* borrowed; NULL or empty: any */
	/* borrowed; for items that belong to a user: the users; NULL or empty: any */
	const struct text_list *users;
};

/* Returns true if CHOICE includes ITEM. */
bool usage_line_is_chosen(const struct usage_line *item, const struct usage_line_choice *choice);

/* Sorts COUNT items as CHOICE says. Items without the field come last in either order. */
void usage_line_sort(
	struct usage_line *items, size_t count, const struct usage_line_choice *choice);

#endif
