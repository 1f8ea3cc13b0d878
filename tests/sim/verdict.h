/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checks of the accounts of simulated daemons (daemon.h). There are two sorts of limits:
 *
 * - memtallyd's guarantees hold on each host, in each pass: verdict_check().
 * - How good estimates are differs from host to host. A case runs on hosts of many seeds (population_seeds()), and its limit
 *   is for a statistic over these (spread.h): for the upper confidence limit of a mean, for the median, for the quantile 0.95.
 *   No limit is for the worst of them.
 *
 * A limit for a statistic of test-bounds comes from one of two sources:
 *
 * - A target of docs/performance.md: VERDICT_MEDIAN_OUTSIDE, VERDICT_OFF, and 10 for the width of users.
 * - Measurement: eight runs on 16 hosts each, with MEMTALLY_SEED from 0 to 7. The limit is about twice the highest value of the
 *   statistic in these runs, so that other seeds do not fail by chance and an error that doubles or trebles is found. A run with
 *   MEMTALLY_LONG gave lower values nearly everywhere. The tests print their statistics.
 *
 * Each finding is printed at once; verdict_assert() then fails the test.
 */
#ifndef MEMTALLY_TESTS_SIM_VERDICT_H
#define MEMTALLY_TESTS_SIM_VERDICT_H

#include "tests/sim/daemon.h"
#include "tests/sim/spread.h"

/* A finding of the case NAME if VALUE is above LIMIT; WHAT says what they are, with the unit. */
void verdict_at_most(const char *name, const char *what, double value, double limit);

/*
 * Findings of what holds on every host: all processes are shown, none with a younger age than it has, and the budgets of CPU
 * and of holds are kept. A pass has to look at all processes, whatever that takes; what it takes is saved later, as far as that
 * is not forgiven. The first pass is excused. A read may overdraw the budget by what else it needs to read, at the end of a turn.
 */
void verdict_check(const char *name, const struct daemon *d);

/* A case on the hosts of all seeds; each observation is a host. Percent, if nothing else is said. */
struct verdict {
	struct spread
		outside; /* of the samples of processes, those with the truth out of the bounds */
	struct spread far_outside;  /* by more than 1 KiB and 0.1 % */
	struct spread sums_outside; /* of the samples of users and programs */
	struct spread host_outside; /* of passes, those with the host's low bound above the truth */
	struct spread off; /* of the samples of processes, those off by more than 2 % and 1 MiB */
	struct spread
		sums_off;    /* of the samples of users and programs, those off by more than 1 % */
	struct spread width; /* between the bounds of users, of their PSS */
	struct spread error; /* of users, of their PSS */
};

/* Adds the accounts of D. */
void verdict_add(struct verdict *v, const struct daemon *d);

/*
 * How often the truth may be far out of the bounds of processes, out of those of users and programs, or below the host's low bound, in
 * percent of the samples. The limit for the median is the target: within the bounds in 99.9 % of the samples. The other one is for the
 * upper confidence limit of the mean. About one host in sixteen has a process that is out of its bounds until it is measured again,
 * and so 0.1 to 2 % of its samples. The highest confidence limits in the eight runs were 0.17, 0.14 and 0.
 */
#define VERDICT_MEDIAN_OUTSIDE 0.1
#define VERDICT_MEAN_OUTSIDE   0.4

/* Samples of processes off by more than 2 % and 1 MiB, in percent, for the upper confidence limit: the target is the 99th percentile. */
#define VERDICT_OFF 1

/* The limits that differ from case to case, in percent. */
struct verdict_limits {
	double outside; /* of the samples of processes that are out of bounds by any amount; for the upper confidence limit */
	double width;   /* of users, for the quantile 0.95 */
	double error;   /* of users, for the upper confidence limit; 0: there is none */
	double sums_off; /* users and programs off by 1 %, for the upper confidence limit; less than 0: there is none */
	/*
	 * In place of VERDICT_MEAN_OUTSIDE and VERDICT_MEDIAN_OUTSIDE, if what docs/accounting.md says may change unseen happens in the
	 * case all the time; 0: those hold.
	 */
	double unseen;
};

/* Prints the statistics of V; findings where they are above LIMITS. */
void verdict_bounds(const char *name, const struct verdict *v, const struct verdict_limits *limits);

/* Prints a statistic of S in UNIT; a finding if the upper confidence limit of its mean is above LIMIT. */
void verdict_mean(
	const char *name, const char *what, const char *unit, const struct spread *s, double limit);

/* The same for the quantile 0.95 of S. */
void verdict_p95(
	const char *name, const char *what, const char *unit, const struct spread *s, double limit);

/* Fails the test if anything was found since the last time. */
void verdict_assert(void);

/* PART as a percentage of OF; of nothing, 0. */
double verdict_percent(double part, double of);

/* The number of walks so far. */
uint64_t verdict_walks(const struct daemon *d);

/* Call before the tests run: if the program has an argument, a pattern, only tests with matching names run. */
void verdict_choose(int argc, char **argv);

#endif
