/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Those of a kind that are too many for rows of their own: the largest have some, the rest are summed up as "(other)".
 * Pure.
 */
#ifndef MEMTALLY_LEDGER_FOLDING_H
#define MEMTALLY_LEDGER_FOLDING_H

#include <stdbool.h>
#include <stddef.h>

#include "ledger/rows.h"

struct folding_sum {
	size_t rows;
	double pss_byte_s, swap_byte_s, process_s;
	bool has_swap_s;
};

struct folding {
	struct folding_sum other[USAGE_KINDS_END]; /* as folding_fold() has left it */
	struct folding_sum
		ended[USAGE_KINDS_END]; /* of that, whose names are not even in memory any more */
};

/* How many of each kind get rows of their own, and how many of these may be new to the file. */
struct folding_room {
	size_t rows[USAGE_KINDS_END], names[USAGE_KINDS_END];
};

/*
 * How many of a kind have rows of their own. Of those who ended and are not written yet, twice as many are remembered
 * by name, for however long it can't be written.
 */
size_t folding_rows_max(enum usage_kind kind);

/*
 * Before ROWS are written: those of a kind for whom there is no ROOM become "(other)", the least first. Whether one is
 * new, its series says. -ENOMEM.
 */
int folding_fold(struct folding *f, struct rows *rows, const struct folding_room *room);

/*
 * Removes from ROWS all but the largest of those who ended, where they are too many. Names that come and go, while
 * nothing can be written or within one slot, would else take memory without bound. What is written has rows of the
 * largest alone, so hardly anything is lost by it. Without memory for that they stay.
 */
void folding_forget_ended(struct folding *f, struct rows *rows);

/* They were written. */
void folding_clear(struct folding *f);

#endif
