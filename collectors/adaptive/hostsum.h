/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compares the sums over all rows of an adaptive pass with those of the host (pool.h):
 *
 *	hostsum_before, hostsum_after   before and after the polls of all processes
 *	hostsum_left                    for each process that has exited or called exec
 *	hostsum_begin                   then
 *	hostsum_add                     for each row
 *	hostsum_end                     if it returns true:
 *	hostsum_settle                  for each row: widens or narrows its bounds
 */
#ifndef MEMTALLY_COLLECTORS_ADAPTIVE_HOSTSUM_H
#define MEMTALLY_COLLECTORS_ADAPTIVE_HOSTSUM_H

#include "collectors/adaptive/watch.h"
#include "collectors/model/pool.h"
#include "collectors/procfs/meminfo.h"
#include "snapshot/record.h"

struct hostsum {
	struct pool pool;
	uint64_t page_bytes;
	uint32_t cpus;
	bool sees_all; /* no process of the host is hidden from us */
	/* Set by the caller: the kernel averages map counts (mapcounts.h). AnonPages and Mapped
	 * then count a folio whole if any page of it is mapped, and the PSS of all does not add up
	 * to them: no bound follows but the most. */
	bool is_averaged;
	struct meminfo before, after; /* meminfo before and after the polls */
	/* upper bounds of AnonPages and Mapped, in bytes; UINT64_MAX: not known */
	uint64_t anon_most, file_most;
	/* a row of a process that was never measured shows more than the host has */
	bool has_lower;
	/* RSS of processes that show no PSS; UINT64_MAX: not known of all */
	uint64_t absent;
	/* sum of hostsum_left() calls since the last pass; the same as of hostsum_begin() */
	uint64_t leaving, left;
};

/*
 * Makes H empty. PAGE_BYTES is the kernel's page size. The caller then calls pool_init(&h->pool).
 */
void hostsum_init(struct hostsum *h, uint64_t page_bytes);

/*
 * Read /proc/meminfo; PROC_FD is a descriptor of /proc. If that fails, no sums are compared in this
 * pass.
 */
void hostsum_before(struct hostsum *h, int proc_fd);
void hostsum_after(struct hostsum *h, int proc_fd);

/*
 * An exited process, or the former image of one that has called exec, had BYTES resident. Call it
 * in each pass in which the kernel may still be freeing them: until then they are in the host's
 * sums and belong to no process.
 */
void hostsum_left(struct hostsum *h, uint64_t bytes);

/* Begins the sums of a pass, after hostsum_left() of all. */
void hostsum_begin(struct hostsum *h);

/*
 * Adds a process to the sums. ROW is as figures_fill() made it; rows of a shared address space
 * (OUTCOME_SHARED_MM) do not count.
 */
void hostsum_add(struct hostsum *h, const struct watch *w, const struct snapshot_process *row);

/*
 * Compares the sums after all hostsum_add(). SEES_ALL: no process of the host is hidden from us.
 * IS_WHOLE: the rows belong to about one moment. NOW_NS is CLOCK_BOOTTIME. Returns true if
 * hostsum_settle() is needed.
 */
bool hostsum_end(struct hostsum *h, bool sees_all, bool is_whole, uint64_t now_ns);

/*
 * Fills ROW of W again, with the pool's doubt and narrower bounds. A guess that exceeds the host's
 * sums is lowered to them.
 */
void hostsum_settle(struct hostsum *h, const struct watch *w, struct snapshot_process *row);

/*
 * Returns the upper bound of all processes' PSS together, in bytes, from the host's sums in the
 * pass and NOW; UINT64_MAX: not known.
 */
uint64_t hostsum_most(const struct hostsum *h, const struct meminfo *now);

/*
 * Returns the lower bound of the PSS of all processes with a shown PSS together, in bytes; 0: not
 * known, or .is_averaged.
 */
uint64_t hostsum_least(const struct hostsum *h, const struct meminfo *now);

#endif
