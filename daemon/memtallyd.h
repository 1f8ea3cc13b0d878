/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The daemon from its command line to its end.
 */
#ifndef MEMTALLY_DAEMON_MEMTALLYD_H
#define MEMTALLY_DAEMON_MEMTALLYD_H

/* The exit status: 0 after SIGTERM or SIGINT, 1 after a failure that is on standard error, 2 for usage. */
int memtallyd_run(int argc, char *argv[]);

#endif
