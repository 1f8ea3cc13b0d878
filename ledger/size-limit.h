/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The size limit of the file. SQLite reuses free pages; these functions give them back to the file
 * system if there are many.
 */
#ifndef MEMTALLY_LEDGER_SIZE_LIMIT_H
#define MEMTALLY_LEDGER_SIZE_LIMIT_H

#include "ledger/store.h"

/*
 * Call before a transaction begins: remembers the size of the file. Returns 0, a store_outcome or
 * -ENOMEM.
 */
int size_limit_begin(struct store *s);

/*
 * Call before a commit. If the transaction has made the file larger, gives free pages back, down to
 * the size before it. A file that was above a lowered limit already need not grow any more; and a
 * full disk may have no room for a larger file, so that its log could never be emptied.
 *
 * Returns 0, DATABASE_TOO_LARGE if the file is above its limit, a store_outcome or -ENOMEM.
 */
int size_limit_check(struct store *s);

/*
 * size_limit_check() for a transaction that has removed usage. If the file is above its limit all
 * the same, raises the limit to its size: removing takes room, too, and otherwise no write would
 * ever fit again. Returns 0, a store_outcome or -ENOMEM.
 */
int size_limit_allow(struct store *s);

/*
 * Call after a transaction: gives some free pages back if the file is above its limit, or much of
 * it is free, as after a lower limit was set. The transaction stays committed in any case. Returns
 * 0, or STORE_DAMAGED: write no more. Ignores other errors, which the next write finds again.
 */
int size_limit_shrink(struct store *s);

#endif
