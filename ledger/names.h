/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How many names the ledger takes in that it has not had before. Names of programs, units and containers are whatever
 * whoever runs them calls them, and each of them takes room in the file for as long as days are kept: without an end
 * to them somebody who renames his processes all day would fill it. Those that are too many are "(other)".
 *
 * A day of UTC has twice as many as a span of five minutes has rows: one half at once, so that all who are there when
 * it begins have theirs, the other half bit by bit until it ends. So whoever uses them up in the morning does not have
 * those of the evening, for which the largest come first. Pure.
 */
#ifndef MEMTALLY_LEDGER_NAMES_H
#define MEMTALLY_LEDGER_NAMES_H

#include <stddef.h>
#include <stdint.h>

#include "snapshot/usage.h"

struct names {
	int64_t day; /* the slot of it; -1: what was taken in is not known */
	size_t taken[USAGE_KINDS_END];
};

/* How many of KIND may be taken in at the second S since the epoch, after those that were on its day. */
size_t names_left(const struct names *n, enum usage_kind kind, int64_t s);

#endif
