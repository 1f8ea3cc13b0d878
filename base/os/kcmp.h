/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kcmp(2) with KCMP_VM: whether two processes share one address space. It may block: it takes both
 * processes' exec_update_lock (Linux 5.11 and later).
 */
#ifndef MEMTALLY_BASE_OS_KCMP_H
#define MEMTALLY_BASE_OS_KCMP_H

#include <sys/types.h>

/*
 * Returns 0 if A and B share an address space, 1 less, 2 greater, 3 unequal; or a negative errno.
 */
int kcmp_memory(pid_t a, pid_t b);

#endif
