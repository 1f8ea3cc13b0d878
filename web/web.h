/* SPDX-License-Identifier: Apache-2.0 */
/*
 * memtally-web
 *
 * The whole program: settings, sockets, and one loop in one thread that serves signals, snapshots
 * and clients.
 */
#ifndef MEMTALLY_WEB_WEB_H
#define MEMTALLY_WEB_WEB_H

/* Runs the program to its end. Returns the exit status for main(). */
int web_run(int argc, char *argv[]);

#endif
