/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a pass does, one piece after the other, so that it can be left between any two:
 *
 *	exact       READ each process -> SHARE -> TALLY -> CHARGES
 *	adaptive    SENSE each -> MEASURE some -> ROWS (an estimate of each) -> SHARE -> POOL -> SETTLE -> TALLY -> CHARGES
 */
#ifndef MEMTALLY_COLLECTORS_PHASES_H
#define MEMTALLY_COLLECTORS_PHASES_H

struct pass;

/*
 * Does one piece of the phase, or moves to the next; nothing once it is PHASE_READY. 0, or a positive value. -ENOMEM:
 * the pass is lost.
 */
int phases_advance(struct pass *pass);

/*
 * Makes one measurement of those that were chosen, in a pass or between two. 0: there is nothing to do now.
 * TURNS_SAMPLE, TURNS_MORE: there may be more. -ENOMEM.
 */
int phases_measure(struct pass *pass);

#endif
