/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who holds shared memory, and which tmpfs, as rows of an image: of each kind the largest, and what the others have in
 * one. Pure.
 */
#ifndef MEMTALLY_COLLECTORS_HOLDINGS_H
#define MEMTALLY_COLLECTORS_HOLDINGS_H

#include "collectors/scopes.h"
#include "collectors/shmem.h"
#include "snapshot/builder.h"

enum { HOLDINGS_SHOWN = 100 }; /* rows of each kind, without that of the others */

/*
 * Adds what S has found. Users are called as in USERS, whose names are added, or by their number where no process is
 * theirs. The order of what S has is changed. -ENOMEM.
 */
int holdings_add(struct shmem *s, const struct scopes *users, struct builder *b);

#endif
