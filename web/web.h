/* SPDX-License-Identifier: Apache-2.0 */
/*
 * memtally-web as a whole: settings, sockets, and the one loop that serves signals, snapshots and
 * clients in one thread.
 */
#ifndef MEMTALLY_WEB_WEB_H
#define MEMTALLY_WEB_WEB_H

/* Runs the program to its end; what main() returns. */
int web_run(int argc, char *argv[]);

#endif
