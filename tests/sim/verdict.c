/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "tests/unit/unit.h"

#include "tests/sim/verdict.h"

#include "base/clock.h"

#define TURN_NS (2 * NS_PER_MSEC)

static unsigned int failures; /* all are told, before the test ends */

double verdict_percent(double part, double of)
{
	return of > 0 ? 100 * part / of : 0;
}

void verdict_print(const char *name, const struct daemon *d)
{
	const struct daemon_account *a = &d->account;
	const struct kernel *k = &d->kernel;

	print_message(
		"%s: %zu processes, %u passes, %.3f %% CPU, %u reads, %u by slices; users' "
		"error %.3f %%, width %.2f %%; host's low %.2f %% below; sums off %.3f %%, "
		"outside %.3f %%; processes off %.3f %%, outside %.3f %% (far %.3f %%, mean %.0f KiB); oldest %u s, "
		"deferred %u, %u, %u, %u\n",
		name, d->host->living, (unsigned int)a->passes,
		verdict_percent((double)a->used_ns, (double)a->span_ns), (unsigned int)k->rollups,
		(unsigned int)k->slice_walks, verdict_percent(a->error, a->truth),
		verdict_percent(a->width, a->truth), verdict_percent(a->host_width, a->host_truth),
		verdict_percent((double)a->sums_off, (double)a->sums),
		verdict_percent((double)a->sums_outside, (double)a->sums),
		verdict_percent((double)a->off, (double)a->samples),
		verdict_percent((double)a->outside, (double)a->samples),
		verdict_percent((double)a->far_outside, (double)a->samples),
		a->outside > 0 ? a->outside_bytes / (double)a->outside / 1024 : 0,
		(unsigned int)(a->oldest_ns / NS_PER_SEC), (unsigned int)a->deferred[PLAN_BUDGET],
		(unsigned int)a->deferred[PLAN_STALL], (unsigned int)a->deferred[PLAN_GIANT],
		(unsigned int)a->deferred[PLAN_PRESSURE]);
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
	verdict_at_most(name, "rows whose age is false", (double)a->false_ages, 0);
	verdict_at_most(name, "ms by which the budget is overdrawn",
		((double)a->worst_ns - minute_ns) / 1e6,
		(double)(d->kernel.longest_read_ns + TURN_NS + a->longest_pass_ns + a->forgiven_ns +
			 a->excused_ns) /
			1e6);
	verdict_at_most(name, "holds above the stall budget", (double)d->kernel.stalls, 0);
	verdict_at_most(
		name, "passes in which all have less than is sure", (double)a->host_outside, 0);
}

void verdict_bounds(const char *name, const struct daemon *d, enum verdict_holding holding,
	double outside, double width)
{
	const struct daemon_account *a = &d->account;
	double far = verdict_percent((double)a->far_outside, (double)a->samples);
	double beyond = verdict_percent((double)a->outside, (double)a->samples);
	double sums = verdict_percent((double)a->sums_outside, (double)a->sums);

	if (holding == VERDICT_HOLDS)
		verdict_at_most(name, "% of processes out of bounds", beyond, outside);
	if (holding == VERDICT_NEARLY)
		verdict_at_most(name, "% of processes far out of bounds", far, outside);
	verdict_at_most(name, "% of users and programs out of bounds", sums, outside);
	verdict_at_most(name, "% width of users", verdict_percent(a->width, a->truth), width);
	verdict_at_most(name, "% of processes off by 2 % and 1 MiB",
		verdict_percent((double)a->off, (double)a->samples), 1);
	if (holding != VERDICT_HOLDS && beyond <= outside && sums <= outside)
		print_message("%s: holds by now\n", name);
}

void verdict_choose(int argc, char **argv)
{
	if (argc > 1)
		cmocka_set_test_filter(argv[1]);
}
