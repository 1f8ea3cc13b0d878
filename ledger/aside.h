/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files of the ledger that are damaged are set aside, for somebody to look at: ledger.db.damaged-TIME, in UTC, with -2,
 * -3 and so on behind it where there is one already. Of each that a disk spoils there would be another, so only so many
 * are kept.
 */
#ifndef MEMTALLY_LEDGER_ASIDE_H
#define MEMTALLY_LEDGER_ASIDE_H

#include <stdint.h>

#include "ledger/store.h"

enum { ASIDE_MAX = 3 }; /* files, each with what belongs to it */

enum aside_outcome {
	ASIDE_NO_FILE = 1, /* there was only what belongs to it */
};

/*
 * Renames the file in DIRECTORY, which must not be open, and what belongs to it, to names with the time REALTIME_NS;
 * the new one of the file itself is in NAME, or of its log where there is only that. Of more than ASIDE_MAX the smallest
 * go, but never this one: in a large one there may be years. What is no file, or has a longer name, is none of them. 0 or
 * an outcome. Negative errno: the file is where it was.
 */
int aside_put(const char *directory, uint64_t realtime_ns, char name[static STORE_ERROR_SIZE]);

#endif
