/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Replacements of system calls for simulations
 *
 * A program linked with this file uses these calls in place of the C library's (the linker's
 * --wrap). Calls that open, read and list below CALLS_PROC are answered by the /proc of a simulated
 * host (vfs.h), and clocks show the time of that host. All other calls go to the real kernel.
 */
#ifndef MEMTALLY_TESTS_SIM_HOST_CALLS_H
#define MEMTALLY_TESTS_SIM_HOST_CALLS_H

#include "tests/sim/host/vfs.h"

#define CALLS_PROC "/simulated/proc"

/*
 * From now on V answers the calls. V must not move. NULL: the real kernel answers, and clocks are
 * real.
 */
void calls_redirect(struct vfs *v);

#endif
