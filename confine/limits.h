/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a daemon may use at most of memory and descriptors, by its own will.
 */
#ifndef MEMTALLY_CONFINE_LIMITS_H
#define MEMTALLY_CONFINE_LIMITS_H

#include <stdint.h>

/*
 * For good: at most DATA_BYTES of private memory, or what the limit was if that is less; as many descriptors as the limit
 * is now; no core dumps. Errors of setrlimit().
 */
int limits_set(uint64_t data_bytes);

#endif
