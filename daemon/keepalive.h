/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether to tell the service manager that the daemon is alive. Not that its loop turns, but that it
 * works: passes get on, or none is due. Pure.
 */
#ifndef MEMTALLY_DAEMON_KEEPALIVE_H
#define MEMTALLY_DAEMON_KEEPALIVE_H

#include <stdbool.h>
#include <stdint.h>

struct keepalive {
	uint64_t told_progress; /* at the last keep-alive */
};

/*
 * PROGRESS grows with every step of a pass. Without a pass under way the next is due at DUE_NS; one that
 * is late by more than LATE_NS does not come.
 */
bool keepalive_is_due(struct keepalive *k, bool is_passing, uint64_t progress, uint64_t now_ns,
	uint64_t due_ns, uint64_t late_ns);

#endif
