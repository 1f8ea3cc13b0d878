/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Adaptive passes: every process is sensed in every pass, few are measured, the others' figures are
 * carried forward. Here is what becomes known of each, and in which order; what is done with it is elsewhere:
 * faults.h, figures.h, hostsum.h, relations.h, walks.h. Who is measured when is turns.h's.
 *
 *	adapt_list                a pass is about to list the processes
 *	adapt_begin               it has
 *	adapt_sense               of each
 *	adapt_end_senses          then
 *	adapt_note, adapt_take    of each that is looked at or measured, in the pass or until the next
 *	adapt_begin_estimates     what can't wait is measured
 *	adapt_estimate            of each member, into its row
 *	adapt_end_estimates       with what the host has
 */
#ifndef MEMTALLY_COLLECTORS_ADAPT_H
#define MEMTALLY_COLLECTORS_ADAPT_H

#include "collectors/budget.h"
#include "collectors/disturbance.h"
#include "collectors/faults.h"
#include "collectors/figures.h"
#include "collectors/hostsum.h"
#include "collectors/proctable.h"
#include "collectors/psi.h"
#include "collectors/relations.h"
#include "collectors/sharing.h"
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
	struct sharing *sharing;       /* borrowed */
	uint64_t page_bytes;
	uint64_t begin_ns,
		previous_ns; /* CLOCK_BOOTTIME of this pass's beginning and the last one's */
	uint64_t start_ns;   /* CLOCK_BOOTTIME of the first one's beginning */
	struct vmstat vmstat;
	enum psi_level pressure;
	struct psi psi;   /* as this pass began */
	uint64_t swapped; /* pages, in or out, since all were looked at for that */
	bool swaps;       /* so many that they are in this pass */

	struct budget budget;
	struct disturbance disturbance;
	struct walks walks;         /* how it is measured, and at what cost, */
	struct relations relations; /* with whom he shares, */
	struct faults faults;       /* what he may have written to, */
	struct figures figures;     /* what is shown of him, */
	struct hostsum hostsum;     /* and whether all of it adds up */
};

/* All stay borrowed. */
void adapt_init(struct adapt *a, struct process_reader *reader, const struct proctable *table,
	struct sharing *sharing);
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
};

/*
 * Looks at P as cheaply as will do. 0: all is as it was. ADAPT_SAMPLE: what *RET says of its user, program and unit is
 * news. -ENOMEM.
 */
int adapt_sense(struct adapt *a, struct process *p, uint64_t now_ns, struct sample *ret);

/* All were sensed: finds out what writes and relations put in doubt. */
void adapt_end_senses(struct adapt *a);

/* Takes over what S says of P, all but the PSS. */
void adapt_note(struct adapt *a, struct process *p, const struct sample *s);

/* Takes over S, which is to be a measurement of P, by the walk WALKED. */
void adapt_take(
	struct adapt *a, struct process *p, const struct sample *s, const struct walked *walked);

/*
 * Who shares a whole address space is one: the process that stands for it has the relations, P IS_ELSEWHERE. When it
 * no longer is, it is to be measured anew, unless it was in this pass.
 */
void adapt_set_elsewhere(struct adapt *a, struct process *p, bool is_elsewhere);

/* All that was to be measured for this pass is: finds out whom it puts in doubt. */
void adapt_begin_estimates(struct adapt *a);

/* Fills in ROW of the member P: quantities, source and outcome. Who was never measured is denied, if it may not be. */
void adapt_estimate(struct adapt *a, struct process *p, struct snapshot_process *row);

/*
 * When it is known who shares an address space, hostsum_add() of each row; then this. False: that was all; else
 * hostsum_settle() of each. IS_WHOLE: no process is hidden from us.
 */
bool adapt_end_estimates(struct adapt *a, bool is_whole);

#endif
