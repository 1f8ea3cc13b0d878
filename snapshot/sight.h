/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which rows of processes somebody may see. The sums of users, programs, units and the host are everybody's.
 */
#ifndef MEMTALLY_SNAPSHOT_SIGHT_H
#define MEMTALLY_SNAPSHOT_SIGHT_H

#include <stdbool.h>
#include <stdint.h>

#include "snapshot/record.h"

enum sight_kind {
	SIGHT_ALL,
	SIGHT_EXPORTED, /* those that have series of their own */
	SIGHT_OWN,      /* those of one effective uid */
	SIGHT_NONE,
};

struct sight {
	enum sight_kind kind;
	uint32_t uid; /* of SIGHT_OWN */
};

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
