/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What users are called: which uids somebody has to look up, and what the answers were. Who looks them
 * up, and how long that may take, is not decided here. Pure.
 */
#ifndef MEMTALLY_COLLECTORS_NAMES_H
#define MEMTALLY_COLLECTORS_NAMES_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "collectors/scopes.h"

#define NAMES_MAX_AGE_NS (UINT64_C(3600) * 1000000000)

/*
 * Gives out one uid that nobody was asked for, from *CURSOR on, which starts at 0 and moves on; after the
 * last one it is at the start again, for users who come later take slots that were passed over.
 */
bool names_next(const struct scopes *users, uint32_t *cursor, uid_t *ret);

/*
 * The answer at NOW_NS (CLOCK_MONOTONIC): NAME, any bytes, of which a name takes what it may have, or NULL
 * for a uid that has none.
 */
void names_set(const struct scopes *users, uid_t uid, const char *name, uint64_t now_ns);

/* Nobody could say at NOW_NS: what it was called before stands, and the next pass asks again. */
void names_fail(const struct scopes *users, uid_t uid, uint64_t now_ns);

/* Waits no longer for those that were asked for: each name is waited for once at most. */
void names_give_up(const struct scopes *users, uint64_t now_ns);

/* Whether a user has never had an answer that was asked for. */
bool names_are_awaited(const struct scopes *users);

/* Wants answers anew that are older than NAMES_MAX_AGE_NS; until then the old ones stand. */
void names_renew(const struct scopes *users, uint64_t now_ns);

#endif
