/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Folding into "(other)": if a kind has too many owners, those that used least share one sum. Pure.
 */
#ifndef MEMTALLY_LEDGER_COUNT_FOLDING_H
#define MEMTALLY_LEDGER_COUNT_FOLDING_H

#include <stdbool.h>
#include <stddef.h>

#include "ledger/count/rows.h"

/* The sum of owners without rows of their own. All zeros is empty. */
struct folding_sum {
	size_t rows; /* number of owners */
	/* Byte seconds of PSS and SwapPss, and seconds of each process. */
	double pss_byte_s, swap_byte_s, process_s;
	bool has_swap_s;
};

struct folding {
	/* The sums to write, as of the last folding_fold(). */
	struct folding_sum other[USAGE_KINDS_END];
	/* The part of them of owners that are no longer in memory. */
	struct folding_sum ended[USAGE_KINDS_END];
};

/*
 * How many owners of each kind get rows of their own, and how many of those may have names that are
 * new to the file.
 */
struct folding_room {
	size_t rows[USAGE_KINDS_END], names[USAGE_KINDS_END];
};

/*
 * Returns how many owners of KIND get rows of their own. Of exited owners that are not written yet,
 * twice as many are kept in memory by name, for as long as writes fail.
 */
size_t folding_rows_max(enum usage_kind kind);

/*
 * Call before ROWS are written: sets is_folded for the owners of each kind beyond ROOM, those with
 * the least usage first, and for an owner with the real name "(other)" (rows_is_other()); clears it
 * for all others. F->other becomes F->ended plus the usage of the folded owners. Owners without
 * usage (rows_has_content()) are neither folded nor counted in ROOM. An owner without a series
 * counts as a new name. Returns 0, or -ENOMEM with F and ROWS unchanged.
 */
int folding_fold(struct folding *f, struct rows *rows, const struct folding_room *room);

/*
 * If a kind has more than twice folding_rows_max() exited owners, marks all but the largest
 * folding_rows_max() of them as gone, removes them from ROWS, and adds the usage of those that have
 * any to F->ended. Otherwise names that come and go within one slot, or while writes fail, would
 * take memory without bound. Only the largest owners get rows in the file anyway, so almost nothing
 * is lost. Without memory for the sort nothing is removed.
 */
void folding_forget_ended(struct folding *f, struct rows *rows);

/* Call after a successful write: sets F->ended to 0. */
void folding_clear(struct folding *f);

#endif
