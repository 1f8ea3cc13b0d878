/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the file calls an owner: a series is one owner by one name. Within a transaction of the caller's; all return
 * outcomes of the store.
 */
#ifndef MEMTALLY_LEDGER_SERIES_H
#define MEMTALLY_LEDGER_SERIES_H

#include <stdint.h>

#include "ledger/names.h"
#include "ledger/rows.h"
#include "ledger/store.h"

/* Looks for the series of ROW, whose series then is known or ROWS_SERIES_NONE. */
int series_find(struct store *s, struct row *row);

/* Makes one for ROW, which has none. */
int series_make(struct store *s, struct row *row);

/* That of "(other)" of KIND, which is made if there is none. */
int series_get_other(struct store *s, enum usage_kind kind, int64_t *ret);

/*
 * How many series there are of each kind that are new on DAY, the slot of one: no day before has them, and nobody who
 * still counts has counted since before. "(other)" is none of them.
 */
int series_count_new(struct store *s, int64_t day, struct names *ret);

#endif
