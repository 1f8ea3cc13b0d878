/* SPDX-License-Identifier: Apache-2.0 */
/* Children of processes, as /proc shows them. */
#ifndef MEMTALLY_TESTS_UNIT_OFFSPRING_H
#define MEMTALLY_TESTS_UNIT_OFFSPRING_H

#include <stdbool.h>
#include <sys/types.h>

/* The last of PID's children, zombies among them; 0: it has none. */
pid_t offspring_last(pid_t pid);

/* How many it has, zombies among them. */
unsigned int offspring_count(pid_t pid);

/* Waits for PID's last child to be another than FORMER, and returns it; the test fails if none comes. */
pid_t offspring_wait(pid_t pid, pid_t former);

/* Waits for PID to end: whether it does. A zombie has ended. */
bool offspring_ends(pid_t pid);

#endif
