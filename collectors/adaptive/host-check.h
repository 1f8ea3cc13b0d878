/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compares the sums over all rows of an adaptive pass with those of the host (host-drift.h):
 *
 *	host_check_before, host_check_after   before and after the polls of all processes
 *	host_check_left                    for each process that has exited or called exec
 *	host_check_begin                   then
 *	host_check_add                     for each row
 *	host_check_end                     if it returns true:
 *	host_check_settle                  for each row: widens or narrows its bounds
 */
#ifndef MEMTALLY_COLLECTORS_ADAPTIVE_HOST_CHECK_H
#define MEMTALLY_COLLECTORS_ADAPTIVE_HOST_CHECK_H

#include "collectors/adaptive/tracked.h"
#include "collectors/model/host-drift.h"
#include "collectors/procfs/host/meminfo.h"
#include "snapshot/record.h"

/*
 * Pages that one CPU may keep back from a counter of the host. The kernel's limit is 125, and CPUs
 * seldom reach it together.
 */
enum { HOST_CHECK_PAGES_PER_CPU = 64 };

struct host_check {
	struct host_drift drift;
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
	/* sum of host_check_left() calls since the last pass; the same as of host_check_begin() */
	uint64_t leaving, left;
};

/*
 * Makes H empty. PAGE_BYTES is the kernel's page size. The caller then calls
 * host_drift_init(&h->drift).
 */
void host_check_init(struct host_check *h, uint64_t page_bytes);

/*
 * Reads /proc/meminfo before the polls of a pass; PROC_FD is a descriptor of /proc. If that fails,
 * no sums are compared in this pass.
 */
void host_check_before(struct host_check *h, int proc_fd);

/*
 * Reads /proc/meminfo after the polls of a pass. The sums are compared with the mean of this
 * reading and the one of host_check_before(), with half of their difference as its error. If that
 * fails, no sums are compared in this pass.
 */
void host_check_after(struct host_check *h, int proc_fd);

/*
 * Adds BYTES to the memory that is still in the host's sums but belongs to no process: they were
 * resident in an exited process, or in the former image of one that has called exec. Call it in
 * each pass in which the kernel may still be freeing them.
 */
void host_check_left(struct host_check *h, uint64_t bytes);

/* Begins the sums of a pass, after host_check_left() of all. */
void host_check_begin(struct host_check *h);

/*
 * Adds a process to the sums. ROW is as row_estimate_fill() made it; rows of a shared address space
 * (OUTCOME_SHARED_MM) do not count.
 */
void host_check_add(
	struct host_check *h, const struct tracked *t, const struct snapshot_process *row);

/*
 * Compares the sums after all host_check_add(). SEES_ALL: no process of the host is hidden from us.
 * IS_WHOLE: the rows belong to about one moment. NOW_NS is CLOCK_BOOTTIME. Returns true if
 * host_check_settle() is needed.
 */
bool host_check_end(struct host_check *h, bool sees_all, bool is_whole, uint64_t now_ns);

/*
 * Fills ROW of T again, with host drift's doubt and narrower bounds. A guess that exceeds the
 * host's sums is lowered to them.
 */
void host_check_settle(struct host_check *h, const struct tracked *t, struct snapshot_process *row);

/*
 * Returns the upper bound of all processes' PSS together, in bytes, from the host's sums in the
 * pass and NOW; UINT64_MAX: not known.
 */
uint64_t host_check_most(const struct host_check *h, const struct meminfo *now);

/*
 * Returns the lower bound of the PSS of all processes with a shown PSS together, in bytes; 0: not
 * known, or .is_averaged.
 */
uint64_t host_check_least(const struct host_check *h, const struct meminfo *now);

#endif
