/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Growth of one image of a process (pid, start time, exec). The first reading is the baseline and
 * adds nothing. Pure.
 *
 * - VmHWM adds what is above the highest value seen, because the kernel's own mark may fall by some
 *   KiB.
 * - VmSwap adds every rise between two readings.
 * - Anonymous memory (RssAnon + VmSwap) adds what is above the highest value seen: memory that an
 *   allocator returns and takes again is no growth, and memory that goes to swap has not become
 *   less.
 */
#ifndef MEMTALLY_COLLECTORS_PROCESS_STATE_GROWTH_H
#define MEMTALLY_COLLECTORS_PROCESS_STATE_GROWTH_H

#include <stdbool.h>
#include <stdint.h>

#include "collectors/process/state/growth-rate.h"
#include "snapshot/record.h"

struct growth {
	bool has_hwm, has_swap, has_anon;
	uint64_t since_ns;        /* CLOCK_BOOTTIME of the first reading; 0: there was none */
	uint64_t hwm_top_bytes;   /* the highest VmHWM seen */
	uint64_t swap_last_bytes; /* the last VmSwap seen */
	uint64_t anon_top_bytes;  /* the highest RssAnon + VmSwap seen */
	uint64_t hwm_bytes;       /* sums of what was added */
	uint64_t swap_bytes;
	uint64_t anon_bytes;
	struct growth_rate anon; /* of RssAnon + VmSwap */
};

/* Bytes that one pass has added, or all passes. */
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
 * Sets ROW's quantities of growth as they were known at the last growth_take(). BOOTTIME_NS is
 * CLOCK_BOOTTIME at which the pass began.
 */
void growth_show(const struct growth *g, struct snapshot_process *row, uint64_t boottime_ns);

/*
 * Takes the quantities of ROW, of a pass that began at NOW_NS (CLOCK_MONOTONIC) and BOOTTIME_NS
 * (CLOCK_BOOTTIME), and sets ROW's quantities of growth; if a quantity is absent from ROW, its
 * growth is what was known before. Returns the bytes that this pass adds.
 */
struct growth_step growth_take(
	struct growth *g, struct snapshot_process *row, uint64_t now_ns, uint64_t boottime_ns);

#endif
