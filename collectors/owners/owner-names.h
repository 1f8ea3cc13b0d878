/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names of users and groups: which numbers must be looked up, and what the answers were. The caller
 * looks them up, and may take any time. Pure.
 */
#ifndef MEMTALLY_COLLECTORS_OWNERS_OWNER_NAMES_H
#define MEMTALLY_COLLECTORS_OWNERS_OWNER_NAMES_H

#include <stdbool.h>
#include <stdint.h>

#include "collectors/owners/owner-table.h"

/* A user or a group. */
struct principal {
	enum owner_kind kind; /* OWNER_USER or OWNER_GROUP */
	uint32_t id;          /* uid or gid */
};

/* Returns whether owners of KIND are users or groups, which are known by numbers. */
static inline bool owner_names_are_of(enum owner_kind kind)
{
	return kind == OWNER_USER || kind == OWNER_GROUP;
}

#define OWNER_NAMES_MAX_AGE_NS (UINT64_C(3600) * 1000000000)

/*
 * Finds the next number of TABLE that must be looked up, starting at *CURSOR, and marks it as
 * asked. Returns true and sets *RET; or returns false and sets *CURSOR to 0 again, since owners
 * that are added later may take earlier slots. Start with *CURSOR 0.
 */
bool owner_names_next(const struct owner_table *table, uint32_t *cursor, uint32_t *ret);

/*
 * Sets the answer for ID, which came at NOW_NS (CLOCK_MONOTONIC). NAME may have any bytes: it is
 * made clean and cut. NULL: ID has no name. Does nothing if ID is not in TABLE any more.
 */
void owner_names_set(
	const struct owner_table *table, uint32_t id, const char *name, uint64_t now_ns);

/*
 * Notes that there was no answer for ID at NOW_NS. The old name stays, and the next pass asks
 * again.
 */
void owner_names_fail(const struct owner_table *table, uint32_t id, uint64_t now_ns);

/* Ends the waiting for the answers that were asked for. So each name is waited for at most once. */
void owner_names_give_up(const struct owner_table *table, uint64_t now_ns);

/* Returns whether a number that was asked for has never had an answer. */
bool owner_names_are_awaited(const struct owner_table *table);

/*
 * Marks names that are older than OWNER_NAMES_MAX_AGE_NS to be asked again. The old names stay
 * until the answer.
 */
void owner_names_renew(const struct owner_table *table, uint64_t now_ns);

#endif
