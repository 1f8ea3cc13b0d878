/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How much one image of a process (pid, start time, exec) has grown. The first reading is the baseline
 * and adds nothing. VmHWM adds only what is above the highest seen, because the kernel's own mark may
 * fall by some KiB; VmSwap adds every rise between two readings. Pure.
 */
#ifndef MEMTALLY_COLLECTORS_GROWTH_H
#define MEMTALLY_COLLECTORS_GROWTH_H

#include <stdbool.h>
#include <stdint.h>

struct growth {
	bool has_hwm, has_swap;
	uint64_t hwm_top_bytes;   /* the highest VmHWM seen */
	uint64_t swap_last_bytes; /* the last VmSwap seen */
	uint64_t hwm_bytes;       /* sum of what was added */
	uint64_t swap_bytes;
};

/* Take a reading in; both return what it adds. Not called where the reading is absent. */
uint64_t growth_add_hwm(struct growth *g, uint64_t vm_hwm_bytes);
uint64_t growth_add_swap(struct growth *g, uint64_t vm_swap_bytes);

#endif
