/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The last measurement of a process in exact mode. It is used while the process's files block their reader (block.h):
 * its row then shows the measurement, carried forward by the counters that can still be read.
 */
#ifndef MEMTALLY_COLLECTORS_LAST_H
#define MEMTALLY_COLLECTORS_LAST_H

#include <stdint.h>

#include "collectors/process.h"
#include "snapshot/record.h"

struct last;

/*
 * Keeps the measurement in S, a sample of P at NOW_NS (CLOCK_BOOTTIME), in P->last, and drops one of a former image. Without
 * memory it keeps nothing.
 */
void last_keep(struct process *p, const struct sample *s, uint64_t now_ns);

/* Frees the measurement of P, if there is one. */
void last_drop(struct process *p);

/*
 * Fills in ROW of the blocked process P, which has the present counters: PSS, its parts and its age from the last
 * measurement. Changes nothing if there is no measurement.
 */
void last_fill(const struct process *p, struct snapshot_process *row);

/*
 * Sets the bounds of the PSS in ROW of a blocked process: it may have called exec, or shared any memory, since its last measurement.
 * The low bound is 0. The high bound is its RSS, or its PSS if that is greater: a walk can find memory that the kernel's counters do not
 * have yet. ROW has no USS then.
 */
void last_widen(struct snapshot_process *row);

#endif
