/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Puts a finished pass into a builder: names made unambiguous, rows of scopes, what was counted. Pure.
 */
#ifndef MEMTALLY_COLLECTORS_COMPOSE_H
#define MEMTALLY_COLLECTORS_COMPOSE_H

#include "collectors/meminfo.h"
#include "collectors/tally.h"
#include "snapshot/builder.h"

/*
 * Adds the rows of the host, users, programs and units, and sets each scope's .name_ref. A user is
 * called by its name; by its number where it has none; by "name:uid" where two share a name or the name
 * could be taken for a number. -ENOMEM.
 */
int compose_scopes(
	struct tally *t, const struct meminfo *meminfo, struct builder *b, struct buffer *scratch);

/* How many rows of SCOPE have no series of their own. */
uint32_t compose_dropped(struct tally *t, enum metric_scope scope);

#endif
