/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Retention: removes the oldest slots beyond the number to keep, and, if the file is full, the
 * oldest usage. In a full file the names of programs, units and containers go first: their usage is
 * folded into "(other)", so that sums stay the same. Users and groups go only when no such names
 * are left.
 */
#ifndef MEMTALLY_LEDGER_RETENTION_H
#define MEMTALLY_LEDGER_RETENTION_H

#include <stdint.h>

#include "ledger/store.h"

/*
 * Removes slots beyond the number to keep, and, above 90 % of the size limit, the oldest usage.
 * Once for each DAY (a day slot) it also removes names without usage or counter. Call within a
 * transaction. Removes at most s->turns groups of slots of a level, so that no write takes long;
 * later writes remove the rest. Returns 0, a store_outcome or -ENOMEM.
 */
int retention_apply(struct store *s, int64_t day);

/*
 * Removes the oldest usage until at most PERCENT of the file's limit is in use, nothing more may be
 * removed, or four times as much is removed as by retention_apply(). Call within a transaction.
 * Returns 0, a store_outcome or -ENOMEM.
 */
int retention_make_room(struct store *s, unsigned int percent);

#endif
