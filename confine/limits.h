/* SPDX-License-Identifier: Apache-2.0 */
/* Resource limits that a daemon sets for itself: memory, descriptors, core dumps, processes. */
#ifndef MEMTALLY_CONFINE_LIMITS_H
#define MEMTALLY_CONFINE_LIMITS_H

#include <stdint.h>

/* Keeps the limit as it is. */
#define LIMITS_ANY UINT64_MAX

/*
 * Sets limits that cannot be raised again: DATA_BYTES of private memory, or the present limit if
 * that is less; as many descriptors as the soft limit allows now; no core dumps; PROCESSES
 * processes and threads of the uid (LIMITS_ANY: unchanged). The kernel counts all processes of the
 * uid on the host, so set PROCESSES only if the daemon has a uid of its own. Returns 0 or a
 * negative errno.
 */
int limits_set(uint64_t data_bytes, uint64_t processes);

#endif
