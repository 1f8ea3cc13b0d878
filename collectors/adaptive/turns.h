/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which processes an adaptive pass measures, and when. Before it is published, the pass chooses
 * processes by plan.h and measures those with a short walk, so that their figures are of this
 * moment. Longer walks (by slices, and of giants), and walks for which the budget did not suffice,
 * follow until the next pass, as evenly as time and budget allow. adapt.h keeps the state of each
 * process, choosing.h the choices; walks.h measures.
 *
 *	turns_drop                   a pass is about to list the processes
 *	turns_choose                 it has sensed them; then turns_measure() until it returns 0
 *	turns_begin_rest             it has been published
 *	turns_next_ns, turns_measure until the next pass
 */
#ifndef MEMTALLY_COLLECTORS_ADAPTIVE_TURNS_H
#define MEMTALLY_COLLECTORS_ADAPTIVE_TURNS_H

#include "collectors/adaptive/adapt.h"
#include "collectors/adaptive/choosing.h"
#include "collectors/owners/tally.h"

struct turns {
	struct adapt *adapt;       /* borrowed */
	const struct tally *tally; /* borrowed: owners and their PSS in the last pass */
	struct choosing choosing;
	uint64_t due_ns;  /* CLOCK_MONOTONIC of the next pass; 0: a pass is running */
	uint64_t turn_ns; /* CLOCK_MONOTONIC from which the next choice may be measured */
	/* Predicted CPU of measuring once: every process but giants; and every process that a pass
	 * can measure. */
	uint64_t total_cost_ns, all_cost_ns;
	uint64_t kept_ns;  /* tokens that walks between passes leave to the next pass */
	bool is_broke;     /* the last turns_measure() found the budget used up */
	bool is_long;      /* a process can only be walked by slices, or is a giant */
	bool measures_all; /* this pass measures every process that a pass can measure */
};

/* A, TALLY and SCRATCH are borrowed until turns_done(). SCRATCH is memory that others use, too. */
void turns_init(
	struct turns *t, struct adapt *a, const struct tally *tally, struct buffer *scratch);
void turns_done(struct turns *t);

/* Forgets all choices. Call before indices in the process table change. */
void turns_drop(struct turns *t);

/*
 * Chooses the processes to measure in this pass, and until the next one. If measuring every process
 * fits the budget (struct pass_options, .spare_ppm), all are chosen. Processes that block (block.h)
 * are chosen as others are, as soon as their next attempt is due. Returns 0 or -ENOMEM.
 */
int turns_choose(struct turns *t, uint64_t now_ns);

/* Results of turns_measure(). */
enum turns_outcome {
	TURNS_SAMPLE = 1, /* *RET is a sample, which the caller must process */
	TURNS_MORE,       /* there is no sample, but more to do */
};

/*
 * Measures the next chosen process, or reads a slice. Returns TURNS_SAMPLE: *RET is a sample of
 * *RET_PROCESS; TURNS_MORE; 0: there is nothing left to do now; or -ENOMEM.
 */
int turns_measure(
	struct turns *t, uint64_t now_ns, struct sample *ret, struct process **ret_process);

/*
 * The pass is over. It has used CPU_NS without its measurements; the next one is due at DUE_NS
 * (CLOCK_MONOTONIC). ROWS are the rows of MEMBERS. From now on turns_measure() measures what the
 * pass has left.
 */
void turns_begin_rest(struct turns *t, uint64_t now_ns, uint64_t cpu_ns, uint64_t due_ns,
	struct process *const *members, const struct snapshot_process *rows, size_t count);

/*
 * Returns when to call turns_measure() next (CLOCK_MONOTONIC), so that the work is spread evenly;
 * UINT64_MAX: not before the next pass.
 */
uint64_t turns_next_ns(const struct turns *t, uint64_t now_ns);

/* ns: how long the caller may measure before it serves others. */
#define TURNS_LENGTH_NS UINT64_C(1000000)

#endif
