/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What users and groups are called: which numbers somebody has to look up, and what the answers were. Who looks them
 * up, and how long that may take, is not decided here. Pure.
 */
#ifndef MEMTALLY_COLLECTORS_NAMES_H
#define MEMTALLY_COLLECTORS_NAMES_H

#include <stdbool.h>
#include <stdint.h>

#include "collectors/scopes.h"

/* A user, or a group. */
struct principal {
	enum owner_kind kind; /* OWNER_USER or OWNER_GROUP */
	uint32_t id;          /* its uid, or gid */
};

/* Whether owners of KIND are principals, known by numbers. */
static inline bool names_are_of(enum owner_kind kind)
{
	return kind == OWNER_USER || kind == OWNER_GROUP;
}

#define NAMES_MAX_AGE_NS (UINT64_C(3600) * 1000000000)

/*
 * Gives out one number of TABLE that nobody was asked for, from *CURSOR on, which starts at 0 and moves on; after the
 * last one it is at the start again, for those who come later take slots that were passed over.
 */
bool names_next(const struct scopes *table, uint32_t *cursor, uint32_t *ret);

/*
 * The answer at NOW_NS (CLOCK_MONOTONIC): NAME, any bytes, of which a name takes what it may have, or NULL
 * for one that has none.
 */
void names_set(const struct scopes *table, uint32_t id, const char *name, uint64_t now_ns);

/* Nobody could say at NOW_NS: what it was called before stands, and the next pass asks again. */
void names_fail(const struct scopes *table, uint32_t id, uint64_t now_ns);

/* Waits no longer for those that were asked for: each name is waited for once at most. */
void names_give_up(const struct scopes *table, uint64_t now_ns);

/* Whether one has never had an answer that was asked for. */
bool names_are_awaited(const struct scopes *table);

/* Wants answers anew that are older than NAMES_MAX_AGE_NS; until then the old ones stand. */
void names_renew(const struct scopes *table, uint64_t now_ns);

#endif
