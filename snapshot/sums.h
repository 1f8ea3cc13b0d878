/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How rows of processes add up to a row of a user, a program, a unit or the host: the one place with
 * the rules of addition, for whoever sums. What is absent is not summed as 0: a quantity that no member
 * has is absent in the sum, too, and members that lack a measurement are counted. Pure.
 */
#ifndef MEMTALLY_SNAPSHOT_SUMS_H
#define MEMTALLY_SNAPSHOT_SUMS_H

#include <stdbool.h>
#include <stdint.h>

#include "snapshot/record.h"

/* Starts zeroed. After sums_end(), .present and .q are a row's, but for its counters. */
struct sums {
	uint64_t present; /* by enum scope_quantity */
	uint64_t q[SCOPE_QUANTITIES];
	uint64_t private_hugetlb, shared_hugetlb_max;
	bool has_hugetlb;
	bool lacks_uss;     /* a member has a PSS but no USS: their sum would be that of a part */
	bool has_unbounded; /* a member of which not even the RSS is known: there is no upper bound */
};

/*
 * Adds a member. An address space that is counted elsewhere (OUTCOME_SHARED_MM) adds a process and no
 * memory. Of hugetlb pages private ones are summed, of shared ones the largest amount of any member
 * stands for all: ps_mem's rule. No sum passes INT64_MAX.
 */
void sums_add(struct sums *s, const struct snapshot_process *row);

/* Adds the members of FROM, be it ended or not; TO is not. */
void sums_merge(struct sums *to, const struct sums *from);

/* Closes the sums. Those over no member at all are known: they are 0, but the largest of none is not. */
void sums_end(struct sums *s);

/* After that: there are no more than MOST bytes for all. Lowers the upper bound to that, but not below the PSS. */
void sums_cap(struct sums *s, uint64_t most);

/* Likewise there are at least LEAST bytes. Raises the lower bound to that, but not above the PSS. */
void sums_raise(struct sums *s, uint64_t least);

#endif
