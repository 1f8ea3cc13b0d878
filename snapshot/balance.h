/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The lines of the host's balance sheet: what each kind of memory is, and where its number comes from. With the
 * residual they add up to MemTotal; no page is meant to be in two of them. A kind's name is its label in metrics and
 * JSON, too.
 */
#ifndef MEMTALLY_SNAPSHOT_BALANCE_H
#define MEMTALLY_SNAPSHOT_BALANCE_H

#include "snapshot/record.h"

struct balance_kind {
	const char *name; /* "page_cache" */
	const char *
		help; /* for a person who has not read the documentation: a few words, no sentence */
	const char *source; /* of what it is made */
};

/* One of the lines, below BALANCE_LINES. */
const struct balance_kind *balance_kind(enum balance_quantity line);

/*
 * All lines that ROW has, summed up. With the residual, where it has one, that is MemTotal. At most INT64_MAX.
 */
uint64_t balance_sum(const struct snapshot_balance *row);

#endif
