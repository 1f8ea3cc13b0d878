/* SPDX-License-Identifier: Apache-2.0 */
/*
 * memtallyd's event loop
 *
 * Serves signals, clients and the watchdog in one thread, in turns with the cycle of passes
 * (cycle.h).
 */
#ifndef MEMTALLY_DAEMON_MANAGER_H
#define MEMTALLY_DAEMON_MANAGER_H

#include <sys/types.h>

#include "base/cleanup.h"
#include "config/settings.h"
#include "daemon/children/measurers.h"
#include "daemon/children/resolver.h"

struct manager;
struct naming_rules;

/*
 * Opens everything that SETTINGS name. ARGV, which is read again on SIGHUP, and RESOLVER, which may
 * be NULL, stay borrowed. The caller gives *RET to manager_close(). Returns 0; -ENOMEM; or an error
 * of pass_open(), publisher_open() or sd-event. Errors have been logged.
 */
int manager_open(const struct settings *settings, int argc, char *const argv[],
	struct resolver *resolver, struct manager **ret);

/* Closes the socket, and frees M. Accepts NULL; returns NULL. */
struct manager *manager_close(struct manager *m);

/*
 * From now on the processes of MEASURERS (borrowed) read files that may block. If their parent
 * exits, manager_run() returns an error. Returns 0, or a negative errno of sd_event_add_io(), which
 * has been logged.
 */
int manager_set_measurers(struct manager *m, struct measurers *measurers);

/* Sets the rules of naming.process_exporter; RULES NULL: none. Consumes RULES. */
void manager_set_naming(struct manager *m, struct naming_rules *rules);

/* Sets memtallyd's own uid, which gets the whole image. -1, the initial value: no such uid. */
void manager_set_own(struct manager *m, uid_t uid);

/*
 * Runs until SIGTERM or SIGINT. Returns 0, or a negative errno if the event loop or the measuring
 * workers fail, which has been logged.
 */
int manager_run(struct manager *m);

static inline void cleanup_manager(struct manager **m)
{
	manager_close(*m);
}
#define AUTO_MANAGER CLEANUP(cleanup_manager)

#endif
