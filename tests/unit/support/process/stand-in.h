/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A server that stands in for memtallyd or memtally-ledger: a child process that listens at a path
 * and serves one client after the other.
 */
#ifndef MEMTALLY_TESTS_UNIT_SUPPORT_PROCESS_STAND_IN_H
#define MEMTALLY_TESTS_UNIT_SUPPORT_PROCESS_STAND_IN_H

#include <sys/types.h>

/*
 * Listens at PATH with a SOCK_SEQPACKET socket that every user may connect to. Forks a child that
 * calls SERVE(CLIENT, CONTEXT) for each client and then closes CLIENT, a blocking socket. SERVE
 * exits if it fails: the test notices the missing answer. The child exits with its parent. Returns
 * its pid, for stand_in_end().
 */
pid_t stand_in_start(
	const char *path, void (*serve)(int client, const void *context), const void *context);

/* Kills and reaps the child PID, and removes its socket at PATH. */
void stand_in_end(pid_t pid, const char *path);

/* For SERVE: sends TEXT to CLIENT. Exits if it fails. */
void stand_in_send_text(int client, const char *text);

/* For SERVE: waits until CLIENT disconnects. Reads and ignores its messages. */
void stand_in_await_end(int client);

#endif
