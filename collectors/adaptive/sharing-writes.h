/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bytes of shared memory that processes and their families may have written to. Used only by
 * sharing-state.c; sharing-state.h is the interface for others.
 */
#ifndef MEMTALLY_COLLECTORS_ADAPTIVE_SHARING_WRITES_H
#define MEMTALLY_COLLECTORS_ADAPTIVE_SHARING_WRITES_H

#include "collectors/adaptive/sharing-state.h"

/*
 * Returns how many bytes of PSS W may have gained by copy-on-write breaks, its own and other
 * members', including those that only unread fault counters leave possible.
 */
uint64_t sharing_state_suspected(const struct tracked *w);

#endif
