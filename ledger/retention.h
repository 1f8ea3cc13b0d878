/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What of the ledger goes, so that it stays within its limits: what is older, and where the file is full, the oldest;
 * first names of all but users and groups, which become "(other)", so that sums stay what they are, and what is billed
 * only when there are none left.
 */
#ifndef MEMTALLY_LEDGER_RETENTION_H
#define MEMTALLY_LEDGER_RETENTION_H

#include <stdint.h>

#include "ledger/store.h"

/*
 * Lets go of what is too old or too much, within a transaction of the caller's; once a DAY, the slot of one, also of
 * names that nothing has any more. Of what is too much some is left to the next write where there is a lot, so that
 * none takes long. Outcomes of the store.
 */
int retention_apply(struct store *s, int64_t day);

/*
 * Lets go, within a transaction of the caller's, until at most PERCENT of the file's limit are in use, or nothing is
 * left that may go, or a lot has gone. Outcomes of the store.
 */
int retention_make_room(struct store *s, unsigned int percent);

#endif
