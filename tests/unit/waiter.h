/* SPDX-License-Identifier: Apache-2.0 */
/* A child that does something and then waits to be killed: somebody to be looked into. */
#ifndef MEMTALLY_TESTS_UNIT_WAITER_H
#define MEMTALLY_TESTS_UNIT_WAITER_H

#include <sys/types.h>

/* It has done WORK with CONTEXT, or nothing where that is NULL, when this returns; it ends with its parent. */
pid_t waiter_start(void (*work)(void *context), void *context);

/* Kills it, and waits until it is gone. */
void waiter_end(pid_t pid);

#endif
