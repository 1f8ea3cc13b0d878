/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checks of the statistics of simulated daemons (daemon.h)
 *
 * There are two kinds of limits:
 *
 * - memtallyd's guarantees hold on each host, in each pass: verdict_check().
 * - The quality of estimates differs from host to host. A case runs on hosts of many seeds
 *   (population_seeds()). Its limit is for a statistic over these hosts (spread.h): the upper
 *   confidence limit of a mean, the median, or the quantile 0.95. No limit is for the worst host.
 *
 * A limit for a statistic of test-bounds comes from one of two sources:
 *
 * - A target of docs/performance.md: VERDICT_MEDIAN_OUTSIDE, VERDICT_OFF, and 10 for the width of
 *   users.
 * - Measurement: eight runs on 16 hosts each, with MEMTALLY_SEED from 0 to 7. The limit is about
 *   twice the highest value of the statistic in these runs, so that other seeds do not fail by
 *   chance and an error that doubles or trebles is found. A run with MEMTALLY_LONG gave lower
 *   values nearly everywhere. The tests print their statistics.
 *
 * Each finding is printed at once. verdict_assert() then fails the test.
 */
#ifndef MEMTALLY_TESTS_SIM_VERDICT_H
#define MEMTALLY_TESTS_SIM_VERDICT_H

#include "tests/sim/daemon.h"
#include "tests/sim/spread.h"

/* Records a finding of case NAME if VALUE is above LIMIT. WHAT names the value, with its unit. */
void verdict_at_most(const char *name, const char *what, double value, double limit);

/*
 * Records findings if D does not keep memtallyd's guarantees: all processes are shown, no age is
 * younger than the measurement, and the budgets of CPU and of lock holds are kept. A pass has to
 * poll all processes at any cost; what it costs is saved later, unless the budget forgives it. The
 * first pass is excused. The last read of a turn may overdraw the budget by the rest of its cost.
 */
void verdict_check(const char *name, const struct daemon *d);

/* Statistics of one case over the hosts of all seeds. Each observation is a host; in percent. */
struct verdict {
	struct spread outside;      /* of rows: true PSS outside the bounds */
	struct spread far_outside;  /* of rows: outside by more than 1 KiB and 0.1 % */
	struct spread sums_outside; /* of sums of users and programs: truth outside the bounds */
	struct spread host_outside; /* of passes: the host's low bound is above the truth */
	struct spread off;          /* of rows: error above 2 % and 1 MiB */
	struct spread sums_off;     /* of sums of users and programs: error above 1 % */
	struct spread width;        /* of users: difference of the bounds in percent of PSS */
	struct spread error;        /* of users: error in percent of PSS */
};

/* Adds the statistics of D to V as one observation. */
void verdict_add(struct verdict *v, const struct daemon *d);

/*
 * How often the truth may be far out of the bounds of processes, out of those of users and
 * programs, or below the host's low bound, in percent of the samples. The limit for the median is
 * the target: within the bounds in 99.9 % of the samples. The other limit is for the upper
 * confidence limit of the mean. About one host in sixteen has a process that is out of its bounds
 * until it is measured again, and so 0.1 to 2 % of its samples are. The highest confidence limits
 * in the eight runs were 0.17, 0.14 and 0.
 */
#define VERDICT_MEDIAN_OUTSIDE 0.1
#define VERDICT_MEAN_OUTSIDE   0.4

/*
 * Rows with an error above 2 % and 1 MiB, in percent, for the upper confidence limit. The target is
 * the 99th percentile.
 */
#define VERDICT_OFF 1

/* The limits that differ from case to case, in percent. */
struct verdict_limits {
	/* rows outside their bounds by any amount; for the upper confidence limit */
	double outside;
	double width; /* of users, for the quantile 0.95 */
	double error; /* of users, for the upper confidence limit; 0: no limit */
	/*
	 * sums of users and programs with an error above 1 %, for the upper confidence limit; below
	 * 0: no limit
	 */
	double sums_off;
	/*
	 * In place of VERDICT_MEAN_OUTSIDE and VERDICT_MEDIAN_OUTSIDE, if the changes that
	 * memtallyd cannot see (docs/accounting/estimates.md) happen in the case all the time. 0: those hold.
	 */
	double unseen;
};

/* Prints the statistics of V and records findings where they are above LIMITS. */
void verdict_bounds(const char *name, const struct verdict *v, const struct verdict_limits *limits);

/*
 * Prints a statistic of S in UNIT and records a finding if the upper confidence limit of its mean
 * is above LIMIT.
 */
void verdict_mean(
	const char *name, const char *what, const char *unit, const struct spread *s, double limit);

/* The same for the quantile 0.95 of S. */
void verdict_p95(
	const char *name, const char *what, const char *unit, const struct spread *s, double limit);

/* Fails the test if there were findings since the last call. */
void verdict_assert(void);

/* Returns PART as a percentage of OF; 0 if OF is 0. */
double verdict_percent(double part, double of);

/* Returns the number of walks so far. */
uint64_t verdict_walks(const struct daemon *d);

/*
 * Call before the tests run. If the program has an argument, a pattern, only tests with matching
 * names run.
 */
void verdict_choose(int argc, char **argv);

#endif
