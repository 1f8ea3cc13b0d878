/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The work of a pass, in pieces between which it can be interrupted:
 *
 *     exact       READ each process -> SHARE -> SHMEM -> TALLY -> CHARGES
 *     adaptive    SENSE each -> MEASURE some -> ROWS (an estimate of each) -> SHARE -> POOL -> SETTLE
 *                 -> SHMEM -> TALLY -> CHARGES
 */
#ifndef MEMTALLY_COLLECTORS_PASS_PASS_PHASES_H
#define MEMTALLY_COLLECTORS_PASS_PASS_PHASES_H

struct pass;

/*
 * Does one piece of the current phase, or moves to the next phase. Does nothing in PHASE_READY.
 * Returns 0 or a positive value; or -ENOMEM: the pass is lost.
 */
int pass_phases_advance(struct pass *pass);

/*
 * Makes one of the measurements that the plan has chosen, in a pass or between two passes. Returns
 * 0 if there is nothing to do now; MEASURE_PACER_SAMPLE or MEASURE_PACER_MORE if there may be more;
 * or -ENOMEM.
 */
int pass_phases_measure(struct pass *pass);

#endif
