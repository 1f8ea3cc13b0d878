/* SPDX-License-Identifier: Apache-2.0 */
/* Child processes of a process, read from /proc/PID/task/PID/children. */
#ifndef MEMTALLY_TESTS_UNIT_SUPPORT_PROCESS_OFFSPRING_H
#define MEMTALLY_TESTS_UNIT_SUPPORT_PROCESS_OFFSPRING_H

#include <stdbool.h>
#include <sys/types.h>

/* Returns the pid of the last child of PID, zombies included, or 0 if PID has no children. */
pid_t offspring_last(pid_t pid);

/* Returns the number of children of PID, zombies included. */
unsigned int offspring_count(pid_t pid);

/*
 * Waits up to 10 s until the last child of PID is not FORMER and returns its pid. Otherwise the
 * test fails.
 */
pid_t offspring_wait(pid_t pid, pid_t former);

/* Waits up to 10 s for PID to exit. Returns true if it has exited or is a zombie. */
bool offspring_ends(pid_t pid);

#endif
