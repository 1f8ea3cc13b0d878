/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a bucket has, into the tables of the file.
 */
#ifndef MEMTALLY_LEDGER_POSTING_H
#define MEMTALLY_LEDGER_POSTING_H

#include "ledger/store.h"

/* Names of others than users and groups: with their own rows, or all of them as "(other)". */
enum naming { NAMING_ROWS, NAMING_NONE };

/*
 * Adds what B has to slots of all levels, and how far it has been counted, within a transaction of the caller's. Outcomes
 * of the store.
 */
int posting_write(struct store *s, struct bucket *b, enum naming naming);

#endif
