/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Table of a history
 *
 * The values of an answer: rows by points, from memtally-web's ring and from the answers of
 * memtally-recorder and memtally-ledger. Pure.
 */
#ifndef MEMTALLY_WEB_HISTORY_TABLE_H
#define MEMTALLY_WEB_HISTORY_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "web/history/history-plan.h"
#include "web/history/history-query.h"
#include "web/history/history-sight.h"
#include "web/history/ring.h"

enum history_source {
	HISTORY_WEB,
	HISTORY_LEDGER,
	HISTORY_RECORDER,
};

/* A point of the answer: a column of the table. */
struct history_slot {
	uint64_t time_ns;   /* CLOCK_REALTIME: of a snapshot, or the start of a step */
	uint64_t length_ns; /* of the step, or until the next snapshot */
	enum history_source source;
};

enum history_row_kind {
	HISTORY_ROW_HOST,
	HISTORY_ROW_OWNER,
	HISTORY_ROW_OTHER, /* the host less the other rows */
};

struct history_row {
	enum history_row_kind kind;
	const char *name, *user; /* borrowed from the rings; the host's and the other's are empty */
	uint32_t id;             /* of users and groups: uid or gid */
	bool has_bounds;         /* .low and .high are known for some points */
	/* One for each slot, NAN: not known; in the table's memory. */
	double *value, *low, *high;
};

struct history_table {
	struct history_slot *slot; /* owned */
	size_t slots;
	struct history_row *row; /* owned */
	size_t rows;
	double *cells; /* owned; of all rows */
};

void history_table_done(struct history_table *t);
#define AUTO_HISTORY_TABLE CLEANUP(history_table_done)

/*
 * Fills T, which is zeroed, for query Q and plan P of what S shows. WEB is memtally-web's ring;
 * RECORDER has points of memtally-recorder, of before those of WEB; LEDGER has the ledger's answers
 * for Q->scope, or for users if that is the host. All stay borrowed.
 *
 * The value of a step is the mean over its snapshots. A row that a snapshot lacks counts as 0 there,
 * so that rows add up to the host; it is not known if all snapshots of the step lack it. Rows come
 * in descending order of their mean over the time. Without names, and if all rows are visible, the
 * last row is the host less the others. Returns 0 or -ENOMEM.
 */
int history_table_fill(struct history_table *t, const struct history_query *q,
	const struct history_plan *p, const struct history_sight *s, const struct ring *web,
	const struct ring *recorder, const struct ring *ledger);

#endif
