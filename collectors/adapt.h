/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Adaptive passes: every process is sensed in every pass, few are measured, the others' figures are
 * carried forward. Here is in which order; what is done is elsewhere: walks.h, choosing.h, faults.h, figures.h,
 * hostsum.h, relations.h.
 *
 *	adapt_list                   a pass is about to list the processes
 *	adapt_begin                  it has
 *	adapt_sense                  of each
 *	adapt_choose_urgent          then, as long as adapt_measure() finds something to do: births, execs, families
 *	adapt_estimate               of each member, into its row
 *	adapt_plan                   the pass is over: whom to measure until the next
 *	adapt_next_ns, adapt_measure until then
 */
#ifndef MEMTALLY_COLLECTORS_ADAPT_H
#define MEMTALLY_COLLECTORS_ADAPT_H

#include "collectors/budget.h"
#include "collectors/choosing.h"
#include "collectors/disturbance.h"
#include "collectors/faults.h"
#include "collectors/figures.h"
#include "collectors/hostsum.h"
#include "collectors/proctable.h"
#include "collectors/psi.h"
#include "collectors/relations.h"
#include "collectors/vmstat.h"
#include "collectors/walks.h"
#include "snapshot/record.h"

struct adapt_limits {
	uint64_t interval_ns, max_age_ns, stall_ns, giant_age_ns;
	uint32_t cpu_ppm; /* of one core */
};

struct adapt {
	struct adapt_limits limits, next_limits;
	struct process_reader *reader; /* borrowed */
	const struct proctable *table; /* borrowed */
	uint64_t page_bytes;
	uint64_t begin_ns,
		previous_ns; /* CLOCK_BOOTTIME of this pass's beginning and the last one's */
	uint64_t due_ns;     /* CLOCK_MONOTONIC of the next pass; 0: one is under way */
	struct vmstat vmstat;
	enum psi_level pressure;
	uint64_t kept_ns; /* of the budget, that measurements within this pass leave to others */
	struct psi psi;   /* as this pass began */
	bool swaps;       /* the host has swapped since the last pass */
	bool is_broke;    /* the last turn found the budget used up */
	uint64_t turn_ns; /* CLOCK_MONOTONIC at which the next that was chosen has its turn */
	uint64_t total_cost_ns; /* of measuring everything once */

	struct budget budget;
	struct disturbance disturbance;
	struct walks walks;         /* how, and at what cost */
	struct choosing choosing;   /* whom, */
	struct relations relations; /* with whom he shares, */
	struct faults faults;       /* what he may have written to, */
	struct figures figures;     /* what is shown of him, */
	struct hostsum hostsum;     /* and whether all of it adds up */
};

/* All stay borrowed. SCRATCH is memory that is used again, by others too. */
void adapt_init(struct adapt *a, struct process_reader *reader, const struct proctable *table,
	struct buffer *scratch);
void adapt_done(struct adapt *a);

/* From the next pass on, but for the budget: that is new at once. The first call fills the bucket. */
void adapt_set_limits(struct adapt *a, const struct adapt_limits *limits);

/* How far passes are apart from now on. */
void adapt_set_interval(struct adapt *a, uint64_t interval_ns);

/* What was seen is out of date, and processes are forgotten: the next pass is as the first. */
void adapt_restart(struct adapt *a);

/* P is about to be forgotten. */
void adapt_forget(struct adapt *a, struct process *p);

void adapt_list(struct adapt *a);

void adapt_begin(struct adapt *a);

enum adapt_outcome {
	ADAPT_SAMPLE = 1, /* there is a sample, which the caller has to take over */
	ADAPT_MORE,       /* there is not, but there is more to do */
};

/*
 * Looks at P as cheaply as will do. 0: all is as it was. ADAPT_SAMPLE: what *RET says of its user, program and unit is
 * news. -ENOMEM.
 */
int adapt_sense(struct adapt *a, struct process *p, uint64_t now_ns, struct sample *ret);

/* Chooses among those that were never measured, and those whom births and exits have put in doubt. -ENOMEM. */
int adapt_choose_urgent(struct adapt *a, uint64_t now_ns);

/*
 * Measures the next of those that were chosen, or reads a slice. ADAPT_SAMPLE: *RET of *RET_PROCESS. ADAPT_MORE. 0:
 * nothing is left to do now. -ENOMEM.
 */
int adapt_measure(
	struct adapt *a, uint64_t now_ns, struct sample *ret, struct process **ret_process);

/* All that was to be measured for this pass is: finds out whom it puts in doubt. */
void adapt_begin_estimates(struct adapt *a);

/* Fills in ROW of the member P: quantities, source and outcome. */
void adapt_estimate(struct adapt *a, const struct process *p, struct snapshot_process *row);

/*
 * When it is known who shares an address space, hostsum_add() of each row; then this. False: that was all; else
 * hostsum_settle() of each. IS_WHOLE: no process is hidden from us.
 */
bool adapt_end_estimates(struct adapt *a, bool is_whole);

/*
 * The pass is over, has used CPU_NS besides its measurements, and the next is due at DUE_NS (CLOCK_MONOTONIC):
 * chooses whom to measure until then. ROWS are those of MEMBERS. -ENOMEM: nobody.
 */
int adapt_plan(struct adapt *a, uint64_t now_ns, uint64_t cpu_ns, uint64_t due_ns,
	struct process *const *members, const struct snapshot_process *rows, size_t count);

/* When to call adapt_measure() next, so that the work is spread evenly; UINT64_MAX: not before the next pass. */
uint64_t adapt_next_ns(const struct adapt *a, uint64_t now_ns);

/* How long one turn of adapt_measure() may go on before others have to be served. */
#define ADAPT_TURN_NS UINT64_C(1000000)

#endif
