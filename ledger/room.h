/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How large the file is, and how large it may get: pages that become free are taken again, and are given back to the file
 * system where there are many of them.
 */
#ifndef MEMTALLY_LEDGER_ROOM_H
#define MEMTALLY_LEDGER_ROOM_H

#include "ledger/store.h"

/* Before a transaction begins. Outcomes of the store. */
int room_begin(struct store *s);

/*
 * Before it ends: 0, DATABASE_TOO_LARGE, or outcomes of the store. A file that was larger before than it may be now need
 * not grow any more. What was taken before as much has become free is given back: there may be no room on the disk for a
 * larger one, either, and then its log would stay for ever.
 */
int room_check(struct store *s);

/*
 * The same of one that has made room. That takes some, too: what of it is not given back, the file may have, or nothing
 * would ever fit again.
 */
int room_allow(struct store *s);

/*
 * Behind a transaction: gives some free pages back where the file is larger than it may be, or much of it is free, as
 * after limits were cut. What was written is there, whatever comes of it. 0; STORE_DAMAGED: no write may look at what it has
 * found to be so. What else is wrong the next write finds.
 */
int room_shrink(struct store *s);

#endif
