/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is exported: which of many rows get series of their own. The first N by weight do. A row that
 * has series leaves only when its rank has been below 1.2 N for 5 passes, so that two rows of like
 * weight do not take turns; it stays for an hour after its last member, so that no increase of its
 * counters is lost. Pure.
 */
#ifndef MEMTALLY_COLLECTORS_EXPORT_H
#define MEMTALLY_COLLECTORS_EXPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "collectors/process.h"
#include "collectors/scopes.h"

enum {
	EXPORT_PASSES = 5,
};

#define EXPORT_EMPTY_NS (UINT64_C(3600) * 1000000000)

/*
 * Whether a row of RANK is exported from now on, given that it was (*EXPORTED) and for how many passes
 * its rank has been too low (*BELOW), in a ranking of which N are wanted. At most 2 N are.
 */
void export_decide(uint32_t rank, uint32_t n, bool *exported, uint8_t *below);

/*
 * Decides for the rows of S, after tally_end(), at NOW_NS (CLOCK_MONOTONIC). A row called "(other)" never
 * is exported. SCRATCH is memory that is used again. -ENOMEM: nothing was decided.
 */
int export_scopes(struct scopes *s, uint32_t n, uint64_t now_ns, struct buffer *scratch);

/*
 * Decides for COUNT processes, whose rows are ROWS: the N largest by PSS, by VmSwap and by growth; one
 * without swap or growth has no rank there. -ENOMEM.
 */
int export_processes(struct process *const *processes, const struct snapshot_process *rows,
	size_t count, uint32_t n, struct buffer *scratch);

#endif
