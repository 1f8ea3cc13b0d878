/* SPDX-License-Identifier: Apache-2.0 */
/* Samples of a snapshot for the history (cli/top/rows/history.h): those of processes and owners. Pure. */
#ifndef MEMTALLY_CLI_TOP_ROWS_SAMPLES_H
#define MEMTALLY_CLI_TOP_ROWS_SAMPLES_H

#include "base/siphash.h"
#include "cli/top/rows/history.h"
#include "snapshot/view.h"

/*
 * Says to H that VIEW is shown, which SOURCE has made. If it begins a slot, adds the PSS of each
 * process, and of each owner of the kinds that have a view of their own. SECRET is the key of hashes.
 * At most one snapshot in HISTORY_SLOT_NS costs more than a few instructions.
 */
void samples_take(struct history *h, const struct view *view, enum history_source source,
	const struct siphash_key *secret);

#endif
