/* SPDX-License-Identifier: Apache-2.0 */
/*
 * memtallyd from its command line to its end.
 */
#ifndef MEMTALLY_DAEMON_MEMTALLYD_H
#define MEMTALLY_DAEMON_MEMTALLYD_H

/*
 * Runs memtallyd with the command line ARGV. Returns the exit status: 0 after SIGTERM or SIGINT,
 * and after --help, --version or a configuration check without faults; 1 after a failure, which has
 * been logged; 2 for a wrong command line or configuration.
 */
int memtallyd_run(int argc, char *argv[]);

#endif
