/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Statistics of one value over several simulated hosts
 *
 * Each host has a seed of its own and counts as one observation, however many samples it has:
 * samples of one host depend on each other. Pure.
 */
#ifndef MEMTALLY_TESTS_SIM_SPREAD_H
#define MEMTALLY_TESTS_SIM_SPREAD_H

#include <stddef.h>

enum { SPREAD_MOST = 1024 };

/* All zeros: no observations. Callers only read the fields. */
struct spread {
	double value[SPREAD_MOST]; /* in ascending order */
	size_t count;
};

/* Adds an observation. Aborts after SPREAD_MOST of them. */
void spread_add(struct spread *s, double value);

/* Returns the mean; 0 without observations. */
double spread_mean(const struct spread *s);

/*
 * Returns the standard deviation of one observation, estimated from the sample; 0 for fewer than
 * two.
 */
double spread_deviation(const struct spread *s);

/*
 * Returns the quantile PART, from 0 to 1, interpolated between the two nearest observations; 0
 * without observations.
 */
double spread_quantile(const struct spread *s, double part);

/*
 * Returns the upper limit of the mean over all seeds with a confidence of 99 % (one-sided, by
 * Student's t): if the true mean were higher, at most one of a hundred such samples would look as
 * good as this one.
 */
double spread_upper_limit(const struct spread *s);

/*
 * Something happened in FOUND of COUNT independent cases. Returns the upper limit of its
 * probability with a confidence of 99 % (Clopper and Pearson).
 */
double spread_upper_part(size_t found, size_t count);

#endif
