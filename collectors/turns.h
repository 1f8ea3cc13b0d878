/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who has the next turn of being measured: within an adaptive pass what can't wait, and until the next one what the
 * plan has chosen, as evenly as time and tokens allow. What is known of each process is adapt.h's; whom to
 * choose, and how to walk, choosing.h's and walks.h's.
 *
 *	turns_end            a pass is about to list the processes
 *	turns_choose_urgent  it has sensed them; then turns_measure(), as long as that finds something to do
 *	turns_plan           it is over
 *	turns_next_ns, turns_measure   until the next
 */
#ifndef MEMTALLY_COLLECTORS_TURNS_H
#define MEMTALLY_COLLECTORS_TURNS_H

#include "collectors/adapt.h"
#include "collectors/choosing.h"

struct turns {
	struct adapt *adapt; /* borrowed */
	struct choosing choosing;
	uint64_t due_ns;  /* CLOCK_MONOTONIC of the next pass; 0: one is under way */
	uint64_t turn_ns; /* CLOCK_MONOTONIC at which the next that was chosen has its turn */
	uint64_t kept_ns; /* of the budget, that measurements within this pass leave to others */
	uint64_t total_cost_ns; /* of measuring everything once */
	bool is_broke;          /* the last turn found the budget used up */
	bool measures_all;      /* this pass measures each process that may be walked whole */
};

/* Both stay borrowed. SCRATCH is memory that is used again, by others too. */
void turns_init(struct turns *t, struct adapt *a, struct buffer *scratch);
void turns_done(struct turns *t);

/* Places in the table are about to move: nobody is chosen any more. */
void turns_end(struct turns *t);

/*
 * Chooses the processes that the pass measures before it is published: all of them if that fits
 * the budget (struct pass_options, .whole_ppm). Otherwise those that were never measured, and
 * those that births, exits and writes have put in doubt. Neither walks by slices nor giants are among them, since the
 * pass would wait for all their pauses: turns_plan() chooses them. -ENOMEM.
 */
int turns_choose_urgent(struct turns *t, uint64_t now_ns);

enum turns_outcome {
	TURNS_SAMPLE = 1, /* there is a sample, which the caller has to take over */
	TURNS_MORE,       /* there is not, but there is more to do */
};

/*
 * Measures the next of those that were chosen, or reads a slice. TURNS_SAMPLE: *RET of *RET_PROCESS. TURNS_MORE. 0:
 * nothing is left to do now. -ENOMEM.
 */
int turns_measure(
	struct turns *t, uint64_t now_ns, struct sample *ret, struct process **ret_process);

/*
 * The pass is over, has used CPU_NS besides its measurements, and the next is due at DUE_NS (CLOCK_MONOTONIC):
 * chooses the processes to measure until then. ROWS are those of MEMBERS. A process that blocks (block.h) is chosen as any other
 * as soon as its next attempt is due. -ENOMEM: none.
 */
int turns_plan(struct turns *t, uint64_t now_ns, uint64_t cpu_ns, uint64_t due_ns,
	struct process *const *members, const struct snapshot_process *rows, size_t count);

/* When to call turns_measure() next, so that the work is spread evenly; UINT64_MAX: not before the next pass. */
uint64_t turns_next_ns(const struct turns *t, uint64_t now_ns);

/* How long one turn may go on before others have to be served. */
#define TURNS_LENGTH_NS UINT64_C(1000000)

#endif
