/* SPDX-License-Identifier: Apache-2.0 */
/* What an attacker would try who has taken over one of the daemons, on the victims (victims.h). */
#ifndef MEMTALLY_TESTS_UNIT_ATTEMPTS_H
#define MEMTALLY_TESTS_UNIT_ATTEMPTS_H

#include <stdbool.h>

/* Who tries; not all of them are refused everything. */
enum attempts_by {
	ATTEMPTS_BY_NOBODY = 0, /* who has given up nothing */
	ATTEMPTS_BY_MEMTALLYD = 1 << 0,
	ATTEMPTS_BY_RESOLVER = 1 << 1,
	ATTEMPTS_BY_WEB = 1 << 2,
	ATTEMPTS_BY_NURSERY = 1 << 3,
	ATTEMPTS_BY_LEDGER = 1 << 4,
};

/*
 * Tries all of it in the calling process, and says on standard error what succeeds that should not; of nobody in particular,
 * what does not that should, root being root. How many these were.
 */
unsigned int attempts_make(enum attempts_by who);

/* Whether PATH can be opened; and FILE of root's or nobody's process in /proc. */
bool attempts_opens(const char *path, int flags);
bool attempts_opens_of_victim(const char *file, int flags);

#endif
