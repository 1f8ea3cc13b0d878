/* SPDX-License-Identifier: Apache-2.0 */
/* A child process that does some work and then waits to be killed, as a target for readers. */
#ifndef MEMTALLY_TESTS_UNIT_SUPPORT_PROCESS_WAITER_H
#define MEMTALLY_TESTS_UNIT_SUPPORT_PROCESS_WAITER_H

#include <sys/types.h>

/*
 * Starts a child and returns its pid after it has called WORK(CONTEXT), unless WORK is NULL. The
 * child exits with its parent.
 */
pid_t waiter_start(void (*work)(void *context), void *context);

/* Kills the child and reaps it. */
void waiter_end(pid_t pid);

#endif
