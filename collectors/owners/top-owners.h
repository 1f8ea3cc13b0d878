/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Export: chooses which rows have series of their own. These are the first N by weight. A row that
 * has series loses them when its rank has been 1.2 N or more for 5 passes, so that two rows of
 * similar weight do not take turns. It keeps them for an hour after its last member has exited, so
 * that no increase of its counters is lost. Pure.
 */
#ifndef MEMTALLY_COLLECTORS_OWNERS_TOP_OWNERS_H
#define MEMTALLY_COLLECTORS_OWNERS_TOP_OWNERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "collectors/owners/owner-table.h"
#include "collectors/process/process.h"

enum {
	TOP_OWNERS_PASSES = 5,
};

#define TOP_OWNERS_EMPTY_NS (UINT64_C(3600) * 1000000000)

/*
 * Decides whether a row is exported, and updates *EXPORTED and *BELOW. RANK is its place by weight,
 * 0 for the first; N rows are wanted. *EXPORTED says whether it was exported so far, and *BELOW for
 * how many passes its rank has been too low. A row of rank 2 N or more is not exported.
 */
void top_owners_decide(uint32_t rank, uint32_t n, bool *exported, uint8_t *below);

/*
 * Decides for the owners in S: sets .exported and .below. Call it after owner_sums_end(), at NOW_NS
 * (CLOCK_MONOTONIC). N owners are wanted. An owner called "(other)" is never exported. SCRATCH is
 * overwritten. Returns 0, or -ENOMEM with nothing decided.
 */
int top_owners_scopes(struct owner_table *s, uint32_t n, uint64_t now_ns, struct buffer *scratch);

/*
 * Decides for COUNT processes with the rows ROWS: sets .exported and .below. Wanted are the N
 * largest by PSS, the N largest by VmSwap and the N largest by growth. A process without swap or
 * growth is in no such ranking. SCRATCH is overwritten. Returns 0, or -ENOMEM with nothing decided.
 */
int top_owners_processes(struct process *const *processes, const struct snapshot_process *rows,
	size_t count, uint32_t n, struct buffer *scratch);

#endif
