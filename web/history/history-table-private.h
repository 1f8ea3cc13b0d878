/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the sources of web/history/history-table.h: a table while it is being filled. */
#ifndef MEMTALLY_WEB_HISTORY_TABLE_PRIVATE_H
#define MEMTALLY_WEB_HISTORY_TABLE_PRIVATE_H

#include "web/history/history-table.h"

enum { HISTORY_NO_SLOT = -1 };

/* A row that may become one of the table. */
struct history_candidate {
	const struct ring_row *row; /* borrowed */
	double weight;              /* the sum of values times seconds; NAN: no value is known */
	int64_t place;              /* its row in the table; -1: none */
};

/* A ring in the time of the query. */
struct history_part {
	const struct ring *ring;
	bool is_ledger;
	int64_t *slot_of;     /* owned; by point: its slot, or HISTORY_NO_SLOT */
	size_t *candidate_of; /* owned; by row: its candidate + 1, or 0 */
};

enum { HISTORY_PART_WEB, HISTORY_PART_RECORDER, HISTORY_PART_LEDGER, HISTORY_PARTS };

struct history_filling {
	struct history_table *table;
	const struct history_query *query;
	const struct history_plan *plan;
	const struct history_sight *sight;
	struct history_part part[HISTORY_PARTS];
	struct history_candidate *candidate; /* owned */
	size_t candidates, room;
	size_t slot_room;
	/* By slot, owned: how many points it has; sums of the host and how many values these have. */
	double *points, *total, *totals;
	double *unknown; /* owned; by row and slot: points that have the row without a value */
};

/*
 * Makes the slots of the table, and finds the slot of each point. Returns 0 or -ENOMEM.
 */
int history_table_make_slots(struct history_filling *f);

#endif
