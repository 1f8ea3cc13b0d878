/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Visibility of the past
 *
 * Which rows of the past a caller may see. Trusted callers see all rows. Other users see those of
 * their own uid, and their own rows of each kind of owners with users: user units, sessions and
 * containers. Of these memtally-ledger keeps only users and containers. Over TCP all clients see the
 * last hour, and what the ledger keeps only with web.tcp_scope: processes. The host's sums of the
 * last hour are visible to all callers. Pure.
 */
#ifndef MEMTALLY_WEB_HISTORY_SIGHT_H
#define MEMTALLY_WEB_HISTORY_SIGHT_H

#include <stdbool.h>
#include <stdint.h>

#include "web/history/ring.h"
#include "web/net/caller.h"

enum { HISTORY_SIGHT_UID_SIZE = 12 };

struct history_sight {
	enum sight_kind recent; /* of the ring: SIGHT_ALL, SIGHT_OWN or SIGHT_NONE */
	enum sight_kind older;  /* the same of the ledger */
	uint32_t uid;           /* with SIGHT_OWN */
	/* With SIGHT_OWN: the names of this uid, as .user of rows has them. */
	const char *name; /* borrowed from the view; NULL: no name is known */
	char number[HISTORY_SIGHT_UID_SIZE];
};

/*
 * Writes to *RET what C may see. VIEW is the last snapshot, which knows the name of C's uid, and
 * stays borrowed. SCOPE is web.tcp_scope.
 */
void history_sight_of(const struct caller *c, enum tcp_scope scope, const struct view *view,
	struct history_sight *ret);

/*
 * Returns NULL if some rows of SCOPE may be visible with S; otherwise the reason, a sentence for the
 * client.
 */
const char *history_sight_refuse(const struct history_sight *s, enum metric_scope scope);

/* Returns whether ROW of the ring, of a scope that is not refused, is visible with S. */
bool history_sight_has(const struct history_sight *s, const struct ring_row *row);

#endif
