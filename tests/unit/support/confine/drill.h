/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A drill: a child gives up its rights by the functions that a daemon calls, and then makes the
 * attempts of attempts.h against the victims of victims.h.
 */
#ifndef MEMTALLY_TESTS_UNIT_SUPPORT_CONFINE_DRILL_H
#define MEMTALLY_TESTS_UNIT_SUPPORT_CONFINE_DRILL_H

#include "tests/unit/support/confine/attempts.h"

/*
 * Skips the test unless it runs as root (other users have less to lose) and without valgrind or
 * sanitizers (which need a wider filter).
 */
void drill_needs_root(void);

/*
 * Skips the test if Landlock is missing or does not restrict abstract sockets (before Linux 6.12).
 */
void drill_needs_landlock(void);

/*
 * Runs BODY in a child. Returns its exit status; 98 if BODY returns, -1 if a signal ended the
 * child.
 */
int drill_run(void (*body)(void));

/*
 * Call in the child. Makes all attempts, and exits with the number of wrong results (at most 90).
 * If there are none and GO_ON is set, it returns instead.
 */
void drill_attack_and(enum attempts_by who, bool go_on);

static inline void drill_attack(enum attempts_by who)
{
	drill_attack_and(who, false);
}

/*
 * Call in the child. Drops all capabilities but CAP_SYS_PTRACE, so that root cannot become another
 * user, as in a container that has only that capability.
 */
void drill_lose_setuid(void);

#endif
