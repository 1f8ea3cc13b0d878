/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Balance sheet of the host
 *
 * Its lines: each kind of memory, and the source of its figure. With the residual they add up to
 * MemTotal; no page should be in two lines. The name of a kind is also its label in metrics and
 * JSON.
 */
#ifndef MEMTALLY_SNAPSHOT_BALANCE_H
#define MEMTALLY_SNAPSHOT_BALANCE_H

#include "snapshot/record.h"

enum { BALANCE_KINDS = BALANCE_LINES + 1 }; /* lines of the sheet */

struct balance_kind {
	enum balance_quantity line; /* its quantity in a row */
	const char *name;           /* "page_cache" */
	const char *help;   /* a few words, no sentence; understandable without the documentation */
	const char *source; /* counters that it is computed from */
};

/* Returns line N of the sheet, from 0 to BALANCE_KINDS - 1, in the order of the sheet. */
const struct balance_kind *balance_kind(unsigned int n);

/*
 * Returns the sum of all lines that ROW has, at most INT64_MAX. With the residual, if ROW has one,
 * it is MemTotal.
 */
uint64_t balance_sum(const struct snapshot_balance *row);

#endif
