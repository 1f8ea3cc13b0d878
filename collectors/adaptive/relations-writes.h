/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bytes of shared memory that processes and their families may have written to. Used only by
 * relations.c; relations.h is the interface for others.
 */
#ifndef MEMTALLY_COLLECTORS_ADAPTIVE_RELATIONS_WRITES_H
#define MEMTALLY_COLLECTORS_ADAPTIVE_RELATIONS_WRITES_H

#include "collectors/adaptive/relations.h"

/*
 * Returns how many bytes of PSS W may have gained by copy-on-write breaks, its own and other
 * members', including those that only unread fault counters leave possible.
 */
uint64_t relations_suspected(const struct watch *w);

#endif
