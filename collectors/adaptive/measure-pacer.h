/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which processes an adaptive pass measures, and when. Before it is published, the pass chooses
 * processes by measure-plan.h and measures those with a short walk, so that their figures are of
 * this moment. Longer walks (by slices, and of giants), and walks for which the budget did not
 * suffice, follow until the next pass, as evenly as time and budget allow. adaptive-pass.h keeps
 * the state of each process, measure-queue.h the choices; page-walks.h measures.
 *
 *	measure_pacer_drop                   a pass is about to list the processes
 *	measure_pacer_choose                 it has polled them; then measure_pacer_measure() until it returns 0
 *	measure_pacer_begin_rest             it has been published
 *	measure_pacer_next_ns, measure_pacer_measure until the next pass
 */
#ifndef MEMTALLY_COLLECTORS_ADAPTIVE_MEASURE_PACER_H
#define MEMTALLY_COLLECTORS_ADAPTIVE_MEASURE_PACER_H

#include "collectors/adaptive/adaptive-pass.h"
#include "collectors/adaptive/measure-queue.h"
#include "collectors/owners/owner-sums.h"

struct measure_pacer {
	struct adaptive_pass *adaptive; /* borrowed */
	const struct owner_sums *sums;  /* borrowed: owners and their PSS in the last pass */
	struct measure_queue queue;
	uint64_t due_ns;  /* CLOCK_MONOTONIC of the next pass; 0: a pass is running */
	uint64_t turn_ns; /* CLOCK_MONOTONIC from which the next choice may be measured */
	/* Predicted CPU of measuring once: every process but giants; and every process that a pass
	 * can measure. */
	uint64_t total_cost_ns, all_cost_ns;
	uint64_t kept_ns;  /* tokens that walks between passes leave to the next pass */
	bool is_broke;     /* the last measure_pacer_measure() found the budget used up */
	bool is_long;      /* a process can only be walked by slices, or is a giant */
	bool measures_all; /* this pass measures every process that a pass can measure */
};

/*
 * Makes M empty. A, SUMS and SCRATCH are borrowed until measure_pacer_done(). SCRATCH is memory
 * that others use, too.
 */
void measure_pacer_init(struct measure_pacer *m, struct adaptive_pass *a,
	const struct owner_sums *sums, struct buffer *scratch);

/* Frees what M owns. */
void measure_pacer_done(struct measure_pacer *m);

/* Forgets all choices: indices in the process table are about to change. */
void measure_pacer_drop(struct measure_pacer *m);

/*
 * Chooses the processes to measure in this pass, and until the next one. If measuring every process
 * fits the budget (struct pass_options, .spare_ppm), all are chosen. Processes that block (block.h)
 * are chosen as others are, as soon as their next attempt is due. Returns 0 or -ENOMEM.
 */
int measure_pacer_choose(struct measure_pacer *m, uint64_t now_ns);

/* Results of measure_pacer_measure(). */
enum measure_pacer_outcome {
	MEASURE_PACER_SAMPLE = 1, /* *RET is a sample, which the caller must process */
	MEASURE_PACER_MORE,       /* there is no sample, but more to do */
};

/*
 * Measures the next chosen process, or reads a slice. Returns MEASURE_PACER_SAMPLE: *RET is a
 * sample of *RET_PROCESS; MEASURE_PACER_MORE; 0: there is nothing left to do now; or -ENOMEM.
 */
int measure_pacer_measure(
	struct measure_pacer *m, uint64_t now_ns, struct sample *ret, struct process **ret_process);

/*
 * The pass is over. Charges CPU_NS, which the pass has used without its measurements, to the
 * budget. The next pass is due at DUE_NS (CLOCK_MONOTONIC). Notes of each of the COUNT processes in
 * MEMBERS how wrong its row in ROWS may be, and whether it counts at another process
 * (adaptive_pass_set_elsewhere()). From now on measure_pacer_measure() measures what the pass has
 * left.
 */
void measure_pacer_begin_rest(struct measure_pacer *m, uint64_t now_ns, uint64_t cpu_ns,
	uint64_t due_ns, struct process *const *members, const struct snapshot_process *rows,
	size_t count);

/*
 * A brief pass is over: charges CPU_NS, and takes note of its rows, as measure_pacer_begin_rest().
 * Nothing is measured until the next full pass.
 */
void measure_pacer_end_brief(struct measure_pacer *m, uint64_t now_ns, uint64_t cpu_ns,
	struct process *const *members, const struct snapshot_process *rows, size_t count);

/*
 * Returns when to call measure_pacer_measure() next (CLOCK_MONOTONIC), so that the work is spread
 * evenly; UINT64_MAX: not before the next pass.
 */
uint64_t measure_pacer_next_ns(const struct measure_pacer *m, uint64_t now_ns);

/* ns: how long the caller may measure before it serves others. */
#define MEASURE_PACER_LENGTH_NS UINT64_C(1000000)

#endif
