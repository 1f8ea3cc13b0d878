/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Keep-alive messages
 *
 * Decides whether to tell the service manager that memtallyd is alive. It must not only turn its
 * event loop but work: passes make progress, or none is due. Pure.
 */
#ifndef MEMTALLY_DAEMON_KEEPALIVE_H
#define MEMTALLY_DAEMON_KEEPALIVE_H

#include <stdbool.h>
#include <stdint.h>

struct keepalive {
	uint64_t last_progress; /* PROGRESS of the last call */
};

/*
 * Returns whether to send a keep-alive message at NOW_NS: if PROGRESS has changed since the last
 * call, or if no pass is under way and the next one, due at DUE_NS, is at most LATE_NS late.
 * PROGRESS grows with every step of a pass. All times are CLOCK_MONOTONIC.
 */
bool keepalive_is_due(struct keepalive *k, bool is_passing, uint64_t progress, uint64_t now_ns,
	uint64_t due_ns, uint64_t late_ns);

#endif
