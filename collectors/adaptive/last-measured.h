/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The last measurement of a process in exact mode. While the process's files block their reader
 * (block.h), its row shows that measurement, carried forward by the counters that can still be
 * read.
 */
#ifndef MEMTALLY_COLLECTORS_ADAPTIVE_LAST_MEASURED_H
#define MEMTALLY_COLLECTORS_ADAPTIVE_LAST_MEASURED_H

#include <stdint.h>

#include "collectors/process/process.h"
#include "snapshot/record.h"

struct last_measured;

/*
 * Keeps the measurement in S, a sample of P at NOW_NS (CLOCK_BOOTTIME), in P->last. If S is of a
 * new image, drops the old one. If memory runs out, keeps nothing new.
 */
void last_measured_keep(struct process *p, const struct sample *s, uint64_t now_ns);

/* Frees the measurement of P, if there is one. */
void last_measured_drop(struct process *p);

/*
 * Fills in ROW of the blocked process P, which has the current counters: PSS, its parts, bounds,
 * and the time of the last measurement. Changes nothing if there is no measurement.
 */
void last_measured_fill(const struct process *p, struct snapshot_process *row);

/*
 * Sets the bounds of the PSS in ROW, the row of a blocked process, and removes its USS. Since its
 * last measurement the process may have called exec or shared any memory, so the low bound is 0.
 * The high bound is its RSS, or its PSS if that is greater: a walk can find memory that the
 * kernel's counters do not have yet. Does nothing if ROW has no PSS.
 */
void last_measured_widen(struct snapshot_process *row);

#endif
