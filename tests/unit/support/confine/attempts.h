/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Attacks from a compromised daemon
 *
 * What an attacker would try after taking over one of the daemons, against the processes, files and
 * sockets of victims.h. Each attempt must fail there, and succeed in a process that kept its
 * rights.
 */
#ifndef MEMTALLY_TESTS_UNIT_SUPPORT_CONFINE_ATTEMPTS_H
#define MEMTALLY_TESTS_UNIT_SUPPORT_CONFINE_ATTEMPTS_H

#include <stdbool.h>

/* The daemon that makes the attempts. Some attempts are allowed to some daemons. */
enum attempts_by {
	ATTEMPTS_BY_NOBODY = 0, /* control: a process that has given up no rights */
	ATTEMPTS_BY_MEMTALLYD = 1 << 0,
	ATTEMPTS_BY_RESOLVER = 1 << 1,
	ATTEMPTS_BY_WEB = 1 << 2,
	ATTEMPTS_BY_FORK_SERVER = 1 << 3,
	ATTEMPTS_BY_LEDGER = 1 << 4,
	ATTEMPTS_BY_RECORDER = 1 << 5,
};

/*
 * Makes all attempts in the calling process. Returns the number of wrong results, and prints each
 * on standard error. Wrong is: for a daemon, an attempt that succeeds; for ATTEMPTS_BY_NOBODY (as
 * root), an attempt that fails though root is sure to succeed.
 */
unsigned int attempts_make(enum attempts_by who);

/*
 * Returns true if the calling process can open PATH, or FILE in /proc/PID of a victim that runs as
 * root or as user nobody, with FLAGS (open(2)).
 */
bool attempts_opens(const char *path, int flags);
bool attempts_opens_of_victim(const char *file, int flags);

#endif
