/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sums over processes
 *
 * The rules by which rows of processes add up to a row of an owner or the host, for all programs.
 * An absent quantity is not summed as 0: a quantity that no member has is absent in the sum, too,
 * and members without a measurement are counted. Pure.
 */
#ifndef MEMTALLY_SNAPSHOT_SUMS_H
#define MEMTALLY_SNAPSHOT_SUMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "snapshot/record.h"

/*
 * A reason why a process was not measured, and the quantities of a row of sums that count such
 * processes.
 */
struct sums_reason {
	enum process_outcome outcome;
	enum scope_quantity count; /* of these processes */
	/* of those of these processes that have no PSS: the sum of their RSS, in bytes */
	enum scope_quantity rss;
};

enum { SUMS_REASONS = 5 };

/* Returns reason I, which is below SUMS_REASONS. The first is OUTCOME_DENIED. */
const struct sums_reason *sums_reason(size_t i);

/* Returns the number of processes that were not measured, for any reason; an absent count is 0. */
uint64_t sums_unmeasured(uint64_t present, const uint64_t *q);

/*
 * All zeros is empty. After sums_end(), .present and .q are those of a row, without the quantities
 * that are no sums over processes: growth (SCOPE_..._GROWTH), SCOPE_PSS_BYTE_SECONDS, SCOPE_MEM_...
 * and SCOPE_CGROUP... are absent.
 */
struct sums {
	uint64_t present; /* by enum scope_quantity */
	uint64_t q[SCOPE_QUANTITIES];
	uint64_t private_hugetlb, shared_hugetlb_max;
	bool has_hugetlb;
	bool lacks_uss;     /* a member has a PSS but no USS: their sum would be that of a part */
	bool has_unbounded; /* the RSS of a member is not known: there is no upper bound */
};

/*
 * Adds ROW of a member. A blocked process with an estimate adds that to the PSS, and also counts as
 * unmeasured. A process with an address space that counts at another one (OUTCOME_SHARED_MM) adds a
 * process, its threads and its start, and no memory. Private hugetlb pages are summed; of shared
 * ones the largest amount of a member counts, as in ps_mem. No sum exceeds INT64_MAX.
 */
void sums_add(struct sums *s, const struct snapshot_process *row);

/* Adds the members of FROM, before or after sums_end(), to TO, before it. */
void sums_merge(struct sums *to, const struct sums *from);

/*
 * Adds the members of ROW, of an owner or the host, to TO, before sums_end(TO). Leaves out hugetlb
 * pages: ROW does not say how many of them are private.
 */
void sums_merge_row(struct sums *to, const struct snapshot_scope *row);

/* Completes S. Without members sums are 0, and maxima and minima are absent. */
void sums_end(struct sums *s);

/*
 * After sums_end(): lowers the upper bound to MOST bytes, but not below the PSS. Does nothing if S
 * has no upper bound.
 */
void sums_cap(struct sums *s, uint64_t most);

/*
 * After sums_end(): raises the lower bound to LEAST bytes, but not above the PSS. Does nothing if S
 * has no PSS or no lower bound.
 */
void sums_raise(struct sums *s, uint64_t least);

#endif
