/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Renamed owners: owners with a counter that a snapshot no longer has. A new owner of that snapshot
 * may be one of them under another user name: its own name and the start of its counter stay the
 * same. Pure.
 */
#ifndef MEMTALLY_LEDGER_COUNT_RENAMED_OWNERS_H
#define MEMTALLY_LEDGER_COUNT_RENAMED_OWNERS_H

#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "ledger/count/rows.h"

struct renamed_owners {
	/* Array owned, rows borrowed; sorted by kind, start of the counter, name. */
	struct row **row;
	size_t count;
};

/*
 * Collects into O, which is empty, the owners of ROWS that have a user and a counter and are not in
 * snapshot NUMBER. Returns 0 or -ENOMEM.
 */
int renamed_owners_collect(struct renamed_owners *o, const struct rows *rows, uint64_t number);

/* Frees the contents of O, and makes it empty. */
void renamed_owners_done(struct renamed_owners *o);
#define AUTO_RENAMED_OWNERS CLEANUP(renamed_owners_done)

/*
 * Returns the former row of ROW. ROW's counter in the snapshot began at CREATED_NS (CLOCK_REALTIME)
 * and is at COUNTER byte seconds. Of several candidates, returns the one with the uid of ROW, or
 * else the one with the nearest counter. Returns NULL if ROW is a new owner.
 */
struct row *renamed_owners_find(
	const struct renamed_owners *o, const struct row *row, uint64_t created_ns, double counter);

#endif
