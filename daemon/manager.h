/* SPDX-License-Identifier: Apache-2.0 */
/*
 * memtallyd at work: one event loop that runs passes in short batches and, between them, serves
 * signals, clients, names and the watchdog, all by the same thread.
 */
#ifndef MEMTALLY_DAEMON_MANAGER_H
#define MEMTALLY_DAEMON_MANAGER_H

#include <sys/types.h>

#include "base/cleanup.h"
#include "config/settings.h"
#include "daemon/resolver.h"

struct manager;

/*
 * Opens everything that SETTINGS name; says on the log what fails. ARGV is read again on SIGHUP and stays
 * borrowed, as does RESOLVER, which may be NULL. Errors of pass_open() and publisher_open().
 */
int manager_open(const struct settings *settings, int argc, char *const argv[],
	struct resolver *resolver, struct manager **ret);
struct manager *manager_close(struct manager *m); /* accepts NULL; returns NULL */

/* As whom it runs, who gets the whole image; -1, as at first: nobody. */
void manager_set_own(struct manager *m, uid_t uid);

/* Runs until SIGTERM or SIGINT: 0; or until the event loop fails. */
int manager_run(struct manager *m);

static inline void cleanup_manager(struct manager **m)
{
	manager_close(*m);
}
#define AUTO_MANAGER CLEANUP(cleanup_manager)

#endif
