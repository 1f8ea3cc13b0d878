/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Series: a series is one owner under one name in the file. Call these functions within a
 * transaction. They return 0, a store_outcome or -ENOMEM.
 */
#ifndef MEMTALLY_LEDGER_SERIES_H
#define MEMTALLY_LEDGER_SERIES_H

#include <stdint.h>

#include "ledger/names.h"
#include "ledger/rows.h"
#include "ledger/store.h"

/*
 * Sets ROW->series to the series of ROW, or to ROWS_SERIES_NONE. A user or group whose name is only
 * its number (not resolved yet) gets the series that the number had last. If that series has only
 * the number as its name, it is renamed to the name of ROW.
 */
int series_find(struct store *s, struct row *row);

/* Makes a series for ROW, which has none, and sets ROW->series. */
int series_make(struct store *s, struct row *row);

/* Sets *RET to the series of "(other)" of KIND, and makes one if there is none. */
int series_get_other(struct store *s, enum usage_kind kind, int64_t *ret);

/*
 * Counts in *RET, for each kind, the series that are new on DAY (a day slot): no earlier day has
 * usage of them, and their counter, if they have one, did not begin before. "(other)" does not
 * count.
 */
int series_count_new(struct store *s, int64_t day, struct names *ret);

#endif
