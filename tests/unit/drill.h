/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A drill: a child gives up its rights by the very functions that a daemon calls, and tries what an attacker would
 * (attempts.h) on others (victims.h).
 */
#ifndef MEMTALLY_TESTS_UNIT_DRILL_H
#define MEMTALLY_TESTS_UNIT_DRILL_H

#include "tests/unit/attempts.h"

/* Skips where nothing is shown: others than root have less to lose; under tools less is given up. */
void drill_needs_root(void);

/* Skips where the kernel's Landlock leaves abstract sockets to everybody (before Linux 6.12). */
void drill_needs_landlock(void);

/* Runs BODY in a child: its exit status; one that BODY itself does not end with is 98. */
int drill_run(void (*body)(void));

/* In the child: makes all attempts, and ends with how many went wrong; returns where none did and it is to GO_ON. */
void drill_attack_and(enum attempts_by who, bool go_on);

static inline void drill_attack(enum attempts_by who)
{
	drill_attack_and(who, false);
}

/* In the child: it is root who may not become another, as in a container that was left SYS_PTRACE alone. */
void drill_lose_setuid(void);

#endif
