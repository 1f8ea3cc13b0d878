/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Renamed owners: owners with a counter that a snapshot no longer has. A new owner of that snapshot
 * may be one of them under another user name: its own name and the start of its counter stay the
 * same. Pure.
 */
#ifndef MEMTALLY_LEDGER_FORMERS_H
#define MEMTALLY_LEDGER_FORMERS_H

#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "ledger/rows.h"

struct formers {
	/* Array owned, rows borrowed; sorted by kind, start of the counter, name. */
	struct row **row;
	size_t count;
};

/*
 * Collects into F, which is empty, the owners of ROWS that have a user and a counter and are not in
 * snapshot NUMBER. Returns 0 or -ENOMEM.
 */
int formers_collect(struct formers *f, const struct rows *rows, uint64_t number);

/* Frees the contents of F, and makes it empty. */
void formers_done(struct formers *f);
#define AUTO_FORMERS CLEANUP(formers_done)

/*
 * Returns the former row of ROW. ROW's counter in the snapshot began at CREATED_NS (CLOCK_REALTIME)
 * and is at COUNTER byte seconds. Of several candidates, returns the one with the uid of ROW, or
 * else the one with the nearest counter. Returns NULL if ROW is a new owner.
 */
struct row *formers_find(
	const struct formers *f, const struct row *row, uint64_t created_ns, double counter);

#endif
