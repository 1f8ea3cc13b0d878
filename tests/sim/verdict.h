/* SPDX-License-Identifier: Apache-2.0 */
/* What the accounts of a simulated daemon (daemon.h) are held to. What is found is told at once, and fails the test as it ends. */
#ifndef MEMTALLY_TESTS_SIM_VERDICT_H
#define MEMTALLY_TESTS_SIM_VERDICT_H

#include "tests/sim/daemon.h"

/* A line on D's accounts. NAME is the case's, here and below. */
void verdict_print(const char *name, const struct daemon *d);

/* A finding if VALUE is above LIMIT; WHAT says of what they are, and has the unit. */
void verdict_at_most(const char *name, const char *what, double value, double limit);

/*
 * What holds on every host: all processes are shown, none younger than it is, within the budget. A pass has to look at
 * all that there are, whatever that takes; it is made up for, as far as that is not forgiven, but in the first pass. And a read
 * comes with what else it needs to read, at the end of a turn.
 */
void verdict_check(const char *name, const struct daemon *d);

/* How well bounds hold in a case. */
enum verdict_holding {
	VERDICT_HOLDS, /* the truth is within them, but for 0.1 % of the samples of processes and of sums */
	VERDICT_NEARLY, /* but for 0.1 % it is at least not beyond by more than a KiB and 0.1 % */
};

/* Bounds hold but for OUTSIDE percent of the samples, and are narrow: WIDTH percent. */
void verdict_bounds(const char *name, const struct daemon *d, enum verdict_holding holding,
	double outside, double width);

/* Fails the test if anything was found since the last time. */
void verdict_assert(void);

/* What PART is of OF; of nothing, 0. */
double verdict_percent(double part, double of);

/* How many walks there have been. */
uint64_t verdict_walks(const struct daemon *d);

/* Of a pattern, the program's first argument, only the tests that fit it; before they run. */
void verdict_choose(int argc, char **argv);

#endif
