/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Attacks from a compromised daemon
 *
 * What an attacker would try after taking over one of the daemons, against the processes, files and
 * sockets of victims.h. Each attempt must fail there, and succeed in a process that kept its
 * rights.
 */
#ifndef MEMTALLY_TESTS_UNIT_ATTEMPTS_H
#define MEMTALLY_TESTS_UNIT_ATTEMPTS_H

#include <stdbool.h>

/* The daemon that makes the attempts. Some attempts are allowed to some daemons. */
enum attempts_by {
	ATTEMPTS_BY_NOBODY = 0, /* control: a process that has given up no rights */
	ATTEMPTS_BY_MEMTALLYD = 1 << 0,
	ATTEMPTS_BY_RESOLVER = 1 << 1,
	ATTEMPTS_BY_WEB = 1 << 2,
	ATTEMPTS_BY_NURSERY = 1 << 3,
	ATTEMPTS_BY_LEDGER = 1 << 4,
};

/*
 * Returns true if the calling process can open PATH, or FILE in /proc/PID of one of the two
 * victims, with FLAGS (open(2)).
 */
unsigned int attempts_make(enum attempts_by who);

/* Whether PATH can be opened; and FILE of root's or nobody's process in /proc. */
bool attempts_opens(const char *path, int flags);
bool attempts_opens_of_victim(const char *file, int flags);

#endif
