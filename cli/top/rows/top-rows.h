/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows of `memtally top`
 *
 * Makes the rows of a view from a snapshot, with the filters that the user and the command line
 * chose, in the order to show, and their totals. Pure except for the history, which it gives samples
 * of rows that are sums over chosen processes.
 */
#ifndef MEMTALLY_CLI_TOP_ROWS_TOP_ROWS_H
#define MEMTALLY_CLI_TOP_ROWS_TOP_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hashmap.h"
#include "cli/top/rows/top-row.h"
#include "cli/top/rows/top-state.h"
#include "cli/top/rows/top-tree.h"
#include "snapshot/query.h"

/* Why there are no rows. */
enum top_rows_lack {
	TOP_ROWS_COMPLETE,
	TOP_ROWS_NO_PROCESSES, /* the snapshot has no rows of processes, and the view needs them */
};

/* Zeroed: empty. */
struct top_rows {
	struct top_row *row; /* owned; all rows that the filters let pass */
	size_t count, room;
	uint32_t *order; /* owned; the numbers of the visible rows */
	size_t shown, orders;
	struct amounts total; /* of all rows */
	bool is_filtered;     /* the rows are not all that the snapshot has */
	enum top_rows_lack lack;
	const struct view *view;       /* borrowed: the snapshot */
	const struct history *history; /* borrowed, as .view */
	struct top_known known;        /* the past that growth is of */
	struct top_tree tree;
	struct hashmap groups; /* rows of owners by the hash of their names and places */
	bool is_of_image;      /* the rows are sums of the image, over all processes */
	/* Owned; the number of the row that each process is, or is added to, by its index. */
	uint32_t *of_process;
	size_t of_processes; /* room */
};

/* The source of the rows. */
struct top_rows_source {
	const struct view *view;     /* borrowed until the rows are made again or given up */
	struct history *history;     /* borrowed as .view */
	const struct query *members; /* the processes that the command line chose; NULL: all */
	const struct siphash_key *secret;
	bool is_typed; /* a filter is being typed: its sums get no history */
	/*
	 * The snapshot is older than those of the history, and samples_fill() has filled its slot with
	 * top_rows_salt(): the sums are added to that, and rows get no growth.
	 */
	bool is_fill;
};

/*
 * Returns a number for the choice of processes that the rows of FROM are sums over, as ASKS want them; 0
 * if the history has samples of such sums whether they are shown or not.
 */
uint64_t top_rows_salt(const struct top_asks *asks, const struct top_rows_source *from);

/* Frees what R owns, and empties it. */
void top_rows_done(struct top_rows *r);

/*
 * Makes the rows of FROM that ASKS want in R, which has other ones or none. Rows of owners without
 * processes are left out. Returns 0 or -ENOMEM, with no rows in R.
 */
int top_rows_make(
	struct top_rows *r, const struct top_asks *asks, const struct top_rows_source *from);

/* Returns visible row I, which is below .shown. */
static inline const struct top_row *top_rows_at(const struct top_rows *r, size_t i)
{
	return &r->row[r->order[i]];
}

/* Returns the row with KEY, visible or not; NULL: there is none. */
struct top_row *top_rows_find(const struct top_rows *r, uint64_t key);

/*
 * Sets the growth and the trend of COUNT visible rows from FIRST on, which top_rows_make() leaves out
 * unless rows are sorted by growth: most rows are not on the screen.
 */
void top_rows_remember(struct top_rows *r, size_t first, size_t count);

/*
 * Returns true if PROCESS, a number of a process in the snapshot, is part of the sum ROW of R: the
 * filters, and the rows above ROW, let it pass.
 */
bool top_rows_has(const struct top_rows *r, const struct top_row *row, uint32_t process);

/*
 * Brings .index and .scroll of S in line with its .selected after a change of the rows or of that:
 * top_state_settle().
 */
void top_rows_settle(const struct top_rows *r, struct top_state *s);

/*
 * Sums up COUNT visible rows from FIRST on in *RET. Rows below one of these count once.
 */
void top_rows_sum(const struct top_rows *r, size_t first, size_t count, struct amounts *ret);

#endif
