/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Limit of new names for each day. Users choose the names of programs, units and containers, and
 * each name takes room in the file for as long as days are kept. Without a limit a user who renames
 * processes all day would fill the file. Further names are folded into "(other)". Pure.
 *
 * A day (UTC) has twice as many new names as a five-minute slot has rows. One half is available at
 * the beginning of the day, so that all owners of that moment get rows. The other half becomes
 * available evenly over the day, so that names used up in the morning leave some for the evening.
 * The largest owners get names first.
 */
#ifndef MEMTALLY_LEDGER_STORE_NAMES_H
#define MEMTALLY_LEDGER_STORE_NAMES_H

#include <stddef.h>
#include <stdint.h>

#include "snapshot/usage.h"

/* New names of one day. */
struct names {
	int64_t day;                   /* its day slot; -1: the counts are not known */
	size_t taken[USAGE_KINDS_END]; /* new names of each kind on that day */
};

/*
 * Returns how many more new names of KIND are allowed at S (seconds since the epoch), after those
 * of N if N is of the same day.
 */
size_t names_left(const struct names *n, enum usage_kind kind, int64_t s);

#endif
