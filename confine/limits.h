/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a daemon may use at most of memory and descriptors, by its own will.
 */
#ifndef MEMTALLY_CONFINE_LIMITS_H
#define MEMTALLY_CONFINE_LIMITS_H

#include <stdint.h>

#define LIMITS_ANY UINT64_MAX

/*
 * For good: at most DATA_BYTES of private memory, or what the limit was if that is less; as many descriptors as the limit
 * is now; no core dumps; of processes and threads of its uid at most PROCESSES, or as many as could be (LIMITS_ANY): the kernel
 * counts all that the uid has on the host, so that is for those who share theirs with nobody. Errors of setrlimit().
 */
int limits_set(uint64_t data_bytes, uint64_t processes);

#endif
