/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Visibility of processes
 *
 * The rows of processes that a reader may see. The sums of owners and the host are visible to all.
 */
#ifndef MEMTALLY_SNAPSHOT_SIGHT_H
#define MEMTALLY_SNAPSHOT_SIGHT_H

#include <stdbool.h>
#include <stdint.h>

#include "snapshot/record.h"

enum sight_kind {
	SIGHT_ALL,
	SIGHT_EXPORTED, /* processes with series of their own */
	SIGHT_OWN,      /* processes of one effective uid */
	SIGHT_NONE,
};

struct sight {
	enum sight_kind kind;
	uint32_t uid; /* SIGHT_OWN: the effective uid */
};

/* Returns whether ROW may be seen. */
static inline bool sight_has(const struct sight *s, const struct snapshot_process *row)
{
	switch (s->kind) {
	case SIGHT_ALL: return true;
	case SIGHT_EXPORTED: return row->flags & PROCESS_EXPORTED;
	case SIGHT_OWN: return row->uid == s->uid;
	case SIGHT_NONE: break;
	}
	return false;
}

#endif
