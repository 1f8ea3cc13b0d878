/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Quarantine for damaged database files.
 *
 * A damaged ledger.db is renamed to ledger.db.damaged-TIME (UTC), with its log, for an
 * administrator to examine. If that name is taken, -2, -3 and so on are appended. A disk that keeps
 * damaging files would make one after another, so only QUARANTINE_MAX are kept.
 */
#ifndef MEMTALLY_LEDGER_STORE_QUARANTINE_H
#define MEMTALLY_LEDGER_STORE_QUARANTINE_H

#include <stdint.h>

#include "ledger/store/store.h"

enum {
	QUARANTINE_MAX = 3
}; /* database files, each with its log and other companions (store_files) */

enum quarantine_outcome {
	QUARANTINE_NO_FILE =
		1, /* ledger.db itself was missing; only companions of it were renamed */
	QUARANTINE_NOTHING = 2, /* neither ledger.db nor a companion of it was there */
};

/*
 * Renames ledger.db in DIRECTORY and its companions, with the time REALTIME_NS (CLOCK_REALTIME) in
 * the new names. The database must be closed. Writes into NAME the new path of ledger.db, or of its
 * log if ledger.db is missing.
 *
 * If more than QUARANTINE_MAX quarantined databases exist, removes the smallest ones, but never the
 * new one: a large one may hold years. Ignores directory entries that are not regular files, or
 * have a longer name than quarantine_put() gives.
 *
 * Returns 0, QUARANTINE_NO_FILE, QUARANTINE_NOTHING (NAME is unchanged), or a negative errno: then
 * ledger.db is still at its path.
 */
int quarantine_put(const char *directory, uint64_t realtime_ns, char name[static STORE_ERROR_SIZE]);

#endif
