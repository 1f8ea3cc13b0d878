/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What of the ledger goes, so that it stays within its limits: what is older, and where the file is full, the oldest.
 */
#ifndef MEMTALLY_LEDGER_RETENTION_H
#define MEMTALLY_LEDGER_RETENTION_H

#include <stdint.h>

#include "ledger/store.h"

/*
 * Lets go of what is too old or too much, within a transaction of the caller's; once a DAY, the slot of one, also of
 * names that nothing has any more. Outcomes of the store.
 */
int retention_apply(struct store *s, int64_t day);

#endif
