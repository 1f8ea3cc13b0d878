/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Image building: puts the totals of a finished pass into a builder, with unambiguous names. Pure.
 */
#ifndef MEMTALLY_COLLECTORS_PASS_IMAGE_BUILD_H
#define MEMTALLY_COLLECTORS_PASS_IMAGE_BUILD_H

#include "collectors/adaptive/page-walks.h"
#include "collectors/adaptive/row-estimate.h"
#include "collectors/owners/owner-sums.h"
#include "collectors/process/state/lock-hold.h"
#include "collectors/process/self/lock-trial.h"
#include "collectors/process/self/self-usage.h"
#include "collectors/procfs/host/meminfo.h"
#include "collectors/procfs/host/psi.h"
#include "collectors/schedule/measure-plan.h"
#include "snapshot/builder.h"

/*
 * Adds the rows of the host and of all owners, and sets each owner's .name_ref. A user or group
 * appears under its name, or under its number if it has no name. It appears as "name:id" if two
 * share the name, or if the name could be taken for a number or a label. SCRATCH is overwritten.
 * Returns 0 or -ENOMEM.
 */
int image_build_scopes(struct owner_sums *t, const struct meminfo *meminfo, struct builder *b,
	struct buffer *scratch);

/*
 * Returns the reference in B of the name under which user UID appears. USERS must have their
 * .name_ref set (image_build_scopes()). If UID is not in USERS, its number is added.
 */
uint32_t image_build_user_name(const struct owner_table *users, uint32_t uid, struct builder *b);

/* Adds the balance sheet, the row that says where the host's memory is. Returns 0 or -ENOMEM. */
int image_build_balance(const struct snapshot_balance *balance, struct builder *b);

/* Counts of a pass, and of all passes since the start. */
struct image_build_counts {
	uint64_t passes;
	uint64_t overruns;
	uint64_t duration_ns; /* of the last pass */
	uint64_t interval_ns; /* as configured */
	uint64_t period_ns;   /* as the budget allows: at least .interval_ns */
	/* processes by outcome, without .estimated and .guessed */
	uint64_t outcome[OUTCOME_COUNT_];
	/* processes with a figure that is carried forward: from a measurement, or without one */
	uint64_t estimated, guessed;
	/*
	 * processes that wait for a measurement, and the predicted CPU time of these measurements
	 */
	uint64_t waiting, waiting_cpu_ns;
	uint64_t source[SOURCE_COUNT_];
	uint64_t blocked_now;       /* processes with a read that is blocked now */
	uint64_t blocked_oldest_ns; /* how long the oldest of them has been blocked; 0: none */
	uint64_t blocked_total;     /* reads that were given up as blocked, since the start */
	uint64_t workers_replaced;  /* measuring workers that were replaced, since the start */
	const uint64_t *charges;    /* owners by enum charge_outcome; NULL: no memory controller */
	struct snapshot_histogram durations;
	const struct lock_hold *holds;
};

/* Counts and state of adaptive passes. */
struct image_build_adaptive {
	const struct page_walks_counts *walks;
	const uint64_t *deferred;             /* by enum measure_plan_reason */
	const struct row_estimate *estimates; /* errors of estimates */
	double budget;                        /* as a share of one CPU */
	double needed;                        /* as a share of one CPU; 0: not known yet */
	uint64_t available_ns, oldest_ns;
	/* measurements wait because of memory pressure, not for budget */
	bool is_pressed;
	/* time until the budget has paid for all that wait; UINT64_MAX: not known */
	uint64_t backlog_ns;
	/*
	 * .max_age_ns: the maximum age of a measurement; .longest_ns: the longest time that a
	 * process has been without one, UINT64_MAX if there is no process
	 */
	uint64_t max_age_ns, longest_ns;
	const struct psi *psi;
	enum lock_trial_verdict lock_trial;
};

/*
 * Adds the row of memtallyd itself and the histograms. ADAPTIVE is NULL in exact mode. Returns 0 or
 * -ENOMEM.
 */
int image_build_self(const struct image_build_counts *counts,
	const struct image_build_adaptive *adaptive, const struct self_usage *self, uint32_t flags,
	const char *version, struct builder *b);

#endif
