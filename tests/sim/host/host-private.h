/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shared by the sources of host.h: processes (host.c) and their memory (host-memory.c). Only they
 * include it.
 */
#ifndef MEMTALLY_TESTS_SIM_HOST_HOST_PRIVATE_H
#define MEMTALLY_TESTS_SIM_HOST_HOST_PRIVATE_H

#include "tests/sim/host/host.h"

/*
 * Returns ARRAY, or the array that takes its place, with room for NEEDED elements of SIZE bytes.
 * *CAPACITY is the number of elements that there is room for.
 */
void *host_grown(void *array, size_t *capacity, size_t needed, size_t size);

/* Maps anonymous extent INDEX into SLOT at PLACE; 0: above all other mappings. */
void host_add_part(struct host *h, size_t slot, uint32_t index, uint64_t place);

/* Maps INODE, which SLOT does not map, at PLACE. Touches no extent of it. */
void host_add_mapping(struct host *h, size_t slot, uint32_t inode, uint64_t place);

/* SLOT touches extent INDEX of a file or segment, which it has not touched. */
void host_touch_extent(struct host *h, size_t slot, uint32_t index);

/*
 * Removes one mapping of extent INDEX. An anonymous extent without mappings is free. The counters
 * of the process stay unchanged.
 */
void host_let_go(struct host *h, uint32_t index);

#endif
