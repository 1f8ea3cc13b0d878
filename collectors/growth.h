/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How much one image of a process (pid, start time, exec) has grown. The first reading is the baseline
 * and adds nothing. VmHWM adds only what is above the highest seen, because the kernel's own mark may
 * fall by some KiB; VmSwap adds every rise between two readings. Anonymous memory, resident or swapped out (RssAnon
 * and VmSwap together), adds what is above the most seen, too: what an allocator gives back and takes again is no
 * growth, and what goes to swap has not become less. Pure.
 */
#ifndef MEMTALLY_COLLECTORS_GROWTH_H
#define MEMTALLY_COLLECTORS_GROWTH_H

#include <stdbool.h>
#include <stdint.h>

#include "collectors/trend.h"
#include "snapshot/record.h"

struct growth {
	bool has_hwm, has_swap, has_anon;
	uint64_t since_ns;        /* CLOCK_BOOTTIME of the first reading; 0: there was none */
	uint64_t hwm_top_bytes;   /* the highest VmHWM seen */
	uint64_t swap_last_bytes; /* the last VmSwap seen */
	uint64_t anon_top_bytes;  /* the most of RssAnon and VmSwap seen */
	uint64_t hwm_bytes;       /* sum of what was added */
	uint64_t swap_bytes;
	uint64_t anon_bytes;
	struct trend anon; /* of RssAnon and VmSwap together */
};

/* What one pass has added, or all have. */
struct growth_step {
	uint64_t hwm_bytes, swap_bytes, anon_bytes;
};

static inline void growth_step_add(struct growth_step *to, const struct growth_step *step)
{
	to->hwm_bytes += step->hwm_bytes;
	to->swap_bytes += step->swap_bytes;
	to->anon_bytes += step->anon_bytes;
}

/*
 * Takes in what ROW says, of a pass that began at NOW_NS (CLOCK_MONOTONIC) and BOOTTIME_NS (CLOCK_BOOTTIME), and sets
 * what ROW is to say of growth: of what was absent, what was known before. Returns what the pass adds.
 */
struct growth_step growth_take(
	struct growth *g, struct snapshot_process *row, uint64_t now_ns, uint64_t boottime_ns);

#endif
