/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "tests/unit/support/unit.h"

#include "tests/sim/verdict.h"

#include "base/clock.h"

#define TURN_NS (2 * NS_PER_MSEC)

static unsigned int failures; /* all are printed before the test ends */

double verdict_percent(double part, double of)
{
	return of > 0 ? 100 * part / of : 0;
}

uint64_t verdict_walks(const struct daemon *d)
{
	return d->kernel.rollups + d->kernel.slice_walks;
}

void verdict_at_most(const char *name, const char *what, double value, double limit)
{
	if (value <= limit)
		return;
	print_message("FAILS: %s: %s: %g, where %g is the limit\n", name, what, value, limit);
	failures++;
}

void verdict_assert(void)
{
	unsigned int n = failures;

	failures = 0;
	assert_int_equal(n, 0);
}

void verdict_check(const char *name, const struct daemon *d)
{
	const struct daemon_account *a = &d->account;
	double minute_ns = 60e9 * d->options.rate_ppm / 1e6;

	verdict_at_most(name, "processes without a row", (double)a->missing, 0);
	verdict_at_most(name, "rows that show a false age", (double)a->false_ages, 0);
	verdict_at_most(name, "ms by which the budget is overdrawn",
		((double)a->worst_ns - minute_ns) / 1e6,
		(double)(d->kernel.longest_read_ns + TURN_NS + a->longest_pass_ns + a->forgiven_ns +
			 a->excused_ns) /
			1e6);
	verdict_at_most(name, "holds above the stall budget", (double)d->kernel.stalls, 0);
}

void verdict_add(struct verdict *v, const struct daemon *d)
{
	const struct daemon_account *a = &d->account;
	double samples = (double)a->samples, sums = (double)a->sums;

	spread_add(&v->outside, verdict_percent((double)a->outside, samples));
	spread_add(&v->far_outside, verdict_percent((double)a->far_outside, samples));
	spread_add(&v->sums_outside, verdict_percent((double)a->sums_outside, sums));
	spread_add(&v->host_outside, verdict_percent((double)a->host_outside, (double)a->passes));
	spread_add(&v->off, verdict_percent((double)a->off, samples));
	spread_add(&v->sums_off, verdict_percent((double)a->sums_off, sums));
	spread_add(&v->width, verdict_percent(a->width, a->truth));
	spread_add(&v->error, verdict_percent(a->error, a->truth));
}

static void print_spread(
	const char *name, const char *what, const char *unit, const struct spread *s)
{
	print_message("%s: %s: mean %.4g %s, at most %.4g with 99 %% confidence; median %.4g, p95 "
		      "%.4g; %zu hosts\n",
		name, what, spread_mean(s), unit, spread_upper_limit(s), spread_quantile(s, 0.5),
		spread_quantile(s, 0.95), s->count);
}

void verdict_mean(
	const char *name, const char *what, const char *unit, const struct spread *s, double limit)
{
	print_spread(name, what, unit, s);
	verdict_at_most(name, what, spread_upper_limit(s), limit);
}

void verdict_p95(
	const char *name, const char *what, const char *unit, const struct spread *s, double limit)
{
	print_spread(name, what, unit, s);
	verdict_at_most(name, what, spread_quantile(s, 0.95), limit);
}

static void check_outside(
	const char *name, const char *what, const struct spread *s, const struct verdict_limits *l)
{
	verdict_mean(name, what, "%", s, l->unseen > 0 ? l->unseen : VERDICT_MEAN_OUTSIDE);
	verdict_at_most(name, what, spread_quantile(s, 0.5),
		l->unseen > 0 ? l->unseen : VERDICT_MEDIAN_OUTSIDE);
}

void verdict_bounds(const char *name, const struct verdict *v, const struct verdict_limits *limits)
{
	verdict_mean(name, "processes out of bounds", "%", &v->outside, limits->outside);
	check_outside(name, "processes far out of bounds", &v->far_outside, limits);
	check_outside(name, "users and programs out of bounds", &v->sums_outside, limits);
	check_outside(
		name, "passes with the host's low bound above the truth", &v->host_outside, limits);
	verdict_mean(name, "processes off by 2 % and 1 MiB", "%", &v->off, VERDICT_OFF);
	print_spread(name, "width of users", "%", &v->width);
	verdict_at_most(
		name, "width of users, p95", spread_quantile(&v->width, 0.95), limits->width);
	if (limits->error > 0)
		verdict_mean(name, "error of users", "%", &v->error, limits->error);
	if (limits->sums_off >= 0)
		verdict_mean(
			name, "users and programs off by 1 %", "%", &v->sums_off, limits->sums_off);
}

void verdict_choose(int argc, char **argv)
{
	if (argc > 1)
		cmocka_set_test_filter(argv[1]);
}
