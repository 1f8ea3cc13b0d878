/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The system calls of the one program that is linked with this in place of the C library's own: below CALLS_PROC
 * those that open, read and list are answered by a simulated host's /proc (vfs.h), and clocks show its time. All
 * others go through to the real kernel.
 */
#ifndef MEMTALLY_TESTS_SIM_CALLS_H
#define MEMTALLY_TESTS_SIM_CALLS_H

#include "tests/sim/vfs.h"

#define CALLS_PROC "/simulated/proc"

/* From now on V, which must not move, answers; NULL: nobody does, and clocks are the real ones. */
void calls_redirect(struct vfs *v);

#endif
