/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Drivers' Memory
 *
 * Detects mappings of drivers' memory: pages in page tables that are neither page cache nor shared
 * memory (vm_insert_page() and remap_vmalloc_range() in the kernel's mm/). Pure.
 */
#ifndef MEMTALLY_INSPECT_PAGES_DRIVERMEMORY_H
#define MEMTALLY_INSPECT_PAGES_DRIVERMEMORY_H

#include <stdint.h>

#include "inspect/maps/mapping.h"

/* Sums of mappings, in bytes. Starts zeroed. */
struct drivermemory {
	uint64_t pss;
	uint64_t vmalloc; /* part of .pss that VmallocUsed counts, too */
};

/* Adds mapping M if it is drivers' memory, without its private copies (Anonymous). */
void drivermemory_add(struct drivermemory *d, const struct mapping *m);

#endif
