/* SPDX-License-Identifier: Apache-2.0 */
/* Samples of a snapshot for the history (cli/top/rows/history.h): those of processes and owners. Pure. */
#ifndef MEMTALLY_CLI_TOP_ROWS_SAMPLES_H
#define MEMTALLY_CLI_TOP_ROWS_SAMPLES_H

#include "base/siphash.h"
#include "cli/top/rows/history.h"
#include "snapshot/view.h"

/*
 * Says to H that VIEW is shown, which SOURCE has made. If it begins a slot, adds the PSS of each
 * process, of each owner of the kinds that have a view of their own, and of each user's programs.
 * SECRET is the key of hashes. At most one snapshot in HISTORY_SLOT_NS costs more than a few
 * instructions. Without memory some rows get no sample.
 */
void samples_take(struct history *h, const struct view *view, enum history_source source,
	const struct siphash_key *secret);

/* Returns true if THEN, a recorded snapshot, is of the same start of the machine as NOW, and older. */
bool samples_is_comparable(const struct view *then, const struct view *now);

/*
 * Fills the slot of VIEW, an older snapshot than the last one of samples_take(), with the same samples.
 * Returns false if H has samples of that time already, or does not remember it. SALT: as that of
 * history_fill(); the caller adds these sums.
 */
bool samples_fill(struct history *h, const struct view *view, uint64_t salt,
	const struct siphash_key *secret);

#endif
