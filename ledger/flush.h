/* SPDX-License-Identifier: Apache-2.0 */
/* Flushes a bucket into the tables of the file. */
#ifndef MEMTALLY_LEDGER_FLUSH_H
#define MEMTALLY_LEDGER_FLUSH_H

#include "ledger/store.h"

/*
 * Whether owners other than users and groups get rows of their own, or are all folded into
 * "(other)".
 */
enum naming { NAMING_ROWS, NAMING_NONE };

/*
 * Adds the usage in B to slots of all levels, and writes how far memtallyd's counters are counted.
 * Call within a transaction. Sets series and is_folded of the rows of B. Returns 0, a store_outcome
 * or -ENOMEM.
 */
int flush_write(struct store *s, struct bucket *b, enum naming naming);

#endif
