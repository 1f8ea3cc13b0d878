/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The cycle of passes
 *
 * Runs passes on schedule in short batches and publishes their snapshots. Between two passes it
 * measures processes and surveys mapped files; under memory pressure (pressure.h) it makes
 * brief passes instead. Timers of memtallyd's event loop drive it.
 */
#ifndef MEMTALLY_DAEMON_CYCLE_H
#define MEMTALLY_DAEMON_CYCLE_H

#include <stdbool.h>
#include <stdint.h>
#include <systemd/sd-event.h>

#include "base/cleanup.h"
#include "collectors/pass/pass.h"
#include "config/settings.h"
#include "daemon/children/resolver.h"
#include "daemon/publisher.h"

struct cycle;

/*
 * Lets EVENT start the first pass at once. Call cycle_apply() before EVENT runs. EVENT, PASS,
 * PUBLISHER and RESOLVER, which may be NULL, stay borrowed. The caller gives *RET to cycle_close().
 * Returns 0, -ENOMEM, or an error of sd-event.
 */
int cycle_open(sd_event *event, struct pass *pass, struct publisher *publisher,
	struct resolver *resolver, struct cycle **ret);

/* Frees C. Accepts NULL; returns NULL. */
struct cycle *cycle_close(struct cycle *c);

/*
 * Takes over the interval, the budget and the recipients of snapshots from SETTINGS. Call
 * pass_set_options() before it. If the interval became shorter, the next pass starts earlier.
 */
void cycle_apply(struct cycle *c, const struct settings *settings);

/*
 * FD, of psi_trigger_open(), tells from now on that there is memory pressure. Without it, passes
 * tell it by their own figures. Consumes FD. Returns 0, or a negative errno of sd_event_add_io().
 */
int cycle_set_trigger(struct cycle *c, int fd);

/* Returns whether a snapshot has been published. */
bool cycle_is_ready(const struct cycle *c);

/* Call while a pass waits for a read, to count the wait as progress. */
void cycle_note_progress(struct cycle *c);

/*
 * Returns whether passes make progress, or none is due, as keepalive_is_due() decides. NOW_NS is
 * CLOCK_MONOTONIC; a pass that begins at most LATE_NS late is in time.
 */
bool cycle_is_alive(struct cycle *c, uint64_t now_ns, uint64_t late_ns);

static inline void cleanup_cycle(struct cycle **c)
{
	cycle_close(*c);
}
#define AUTO_CYCLE CLEANUP(cleanup_cycle)

#endif
