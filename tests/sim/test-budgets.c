/* SPDX-License-Identifier: Apache-2.0 */
/* What passes on simulated hosts make of what they may spend, and that it is no more. */
#include "config.h"

#include "tests/unit/unit.h"

#include "base/clock.h"
#include "tests/sim/population.h"
#include "tests/sim/verdict.h"

/* The budget holds at any rate, at any load, on slow hosts, from the first pass on. */
static void budgets_hold(void **state)
{
	static const uint32_t rates_ppm[] = {100, 1000, 10000, 100000};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rates_ppm); i++) {
		struct daemon_options options = daemon_defaults;
		struct host h;
		struct daemon d;

		options.rate_ppm = rates_ppm[i];
		options.is_blind = true;
		host_init(&h, population_seed(10 + i));
		daemon_init(&d, &h, &options);
		d.kernel.slowness = i % 2 ? 3 : 1;
		d.kernel.outliers = 50;
		population_grow(&h, 200, 40);
		daemon_run(&d, &population_many_events, extent_is_long() ? 1500 : 80);
		verdict_print("budget", &d);
		d.kernel.stalls = 0; /* on a slow host, before that is known */
		verdict_check("budget", &d);
		/* And it is used, where there is so much to read. */
		if (rates_ppm[i] <= 1000)
			assert_true(d.account.deferred[PLAN_BUDGET] > 0);
		daemon_done(&d);
		host_done(&h);
	}
	verdict_assert();
}

/*
 * However little there is, everything is measured again in its turn: of what passes leave, new ones take half, and
 * doubts half of the rest. Nothing is older than the maximum age but where it is told that the budget forbids it.
 */
static void nothing_starves(void **state)
{
	static const uint32_t rates_ppm[] = {300, 600, 2000, 10000};
	const uint64_t rounds = extent_is_long() ? 20 : 1, passes = extent_is_long() ? 200 : 60;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rates_ppm); i++) {
		struct daemon_options options = daemon_defaults;
		const struct daemon_account *a;
		struct host h;
		struct daemon d;

		options.rate_ppm = rates_ppm[i];
		options.is_blind = true;
		host_init(&h, population_seed(20 + i));
		population_grow(&h, 200, 40);
		daemon_init(&d, &h, &options);
		a = &d.account;
		daemon_run(&d, &population_some_events, passes);
		for (uint64_t round = 0; round < rounds; round++) {
			double rest, fair;

			daemon_restart_accounts(&d);
			daemon_run(&d, &population_some_events, passes);
			verdict_print("starve", &d);
			verdict_check("starve", &d);
			rest = options.rate_ppm / 1e6 - (double)a->passes_ns / (double)a->span_ns;
			fair = (double)options.max_age_ns +
			       4 * (double)daemon_total_cost_ns(&d) / rest;
			verdict_at_most("starve", "of the budget used by passes", 1 - rest, 1);
			verdict_at_most(
				"starve", "s of age", (double)a->oldest_ns / 1e9, fair / 1e9);
			if (a->deferred[PLAN_BUDGET] == 0)
				verdict_at_most("starve", "s of age, where nothing was put off",
					(double)a->oldest_ns / 1e9,
					(double)options.max_age_ns / 1e9);
		}
		/* At the default nothing is ever too old. */
		if (rates_ppm[i] == 10000)
			verdict_at_most("starve", "put off", (double)a->deferred[PLAN_BUDGET], 0);
		daemon_done(&d);
		host_done(&h);
	}
	verdict_assert();
}

/* The same hosts, the same events: more budget, less error. */
static void error_shrinks_as_the_budget_grows(void **state)
{
	static const uint32_t rates_ppm[] = {150, 200, 300, 500, 1000, 10000};
	double first = 0, last = 1;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rates_ppm); i++) {
		struct daemon_options options = daemon_defaults;
		double error = 0, width = 0, truth = 0, used_ns = 0, passes = 0;
		uint64_t oldest_ns = 0;

		if (!extent_is_long() &&
			(rates_ppm[i] == 200 || rates_ppm[i] == 500 || rates_ppm[i] == 1000))
			continue;
		options.rate_ppm = rates_ppm[i];
		for (uint64_t seed = 30; seed < (extent_is_long() ? 34 : 32); seed++) {
			struct host h;
			struct daemon d;

			host_init(&h, population_seed(seed));
			population_grow(&h, 200, 30);
			daemon_init(&d, &h, &options);
			daemon_run(&d, &population_some_events, 31);
			daemon_restart_accounts(&d);
			daemon_run(&d, &population_some_events, extent_is_long() ? 600 : 120);
			error += d.account.error;
			width += d.account.width;
			truth += d.account.truth;
			used_ns += (double)d.account.used_ns;
			passes += (double)d.account.passes;
			verdict_check("shrinks", &d);
			if (d.account.oldest_ns > oldest_ns)
				oldest_ns = d.account.oldest_ns;
			daemon_done(&d);
			host_done(&h);
		}
		print_message("budget %.3f %%: used %.3f %%, error %.3f %%, width %.2f %%, oldest "
			      "%u s\n",
			rates_ppm[i] / 1e4,
			verdict_percent(used_ns, passes * (double)options.interval_ns),
			verdict_percent(error, truth), verdict_percent(width, truth),
			(unsigned int)(oldest_ns / NS_PER_SEC));
		assert_true(error / truth < last * 1.1);
		last = error / truth;
		first = i == 0 ? last : first;
	}
	assert_true(last < first / 2);
	verdict_assert();
}

/* What the daemon finds at its start is known as soon as it can be walked, without a long hold; then the budget counts. */
static void what_was_there_is_known_soon(void **state)
{
	static const struct {
		const char *name;
		uint64_t pages; /* each */
		uint32_t parts, segment_pages;
		uint32_t rate_ppm;
	} cases[] = {
		{"a hundred of 1 GiB", UINT64_C(1) << 18, 256, 0, 10000},
		{"a hundred of 1 GiB, at a tenth of the budget", UINT64_C(1) << 18, 256, 0, 1000},
		{"a hundred backends, at a tenth of the budget", 2048, 16, UINT32_C(1) << 18, 1000},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct daemon_options options = daemon_defaults;
		const struct daemon_account *a;
		struct host h;
		struct daemon d;
		uint32_t segment = 0;

		options.rate_ppm = cases[i].rate_ppm;
		host_init(&h, population_seed(120 + i));
		population_grow(&h, 100, 0);
		if (cases[i].segment_pages)
			segment = host_create(&h, HOST_SHMEM, cases[i].segment_pages, 64);
		for (uint32_t n = 0; n < 100; n++) {
			size_t slot = host_spawn(
				&h, n % 8, HOST_IDLE, cases[i].pages, cases[i].parts);

			if (segment)
				host_map(&h, slot, segment, 64);
		}
		daemon_init(&d, &h, &options);
		d.kernel.longest_hold_ns = 0;
		daemon_run(&d, &population_no_events, 2);
		verdict_check(cases[i].name, &d);
		daemon_restart_accounts(&d);
		daemon_run(&d, &population_no_events, 20);
		verdict_print(cases[i].name, &d);
		verdict_check(cases[i].name, &d);
		a = &d.account;
		verdict_at_most(cases[i].name, "samples off", (double)a->off, 0);
		verdict_at_most(
			cases[i].name, "% of error", verdict_percent(a->error, a->truth), 0.1);
		verdict_at_most(
			cases[i].name, "% of width", verdict_percent(a->width, a->truth), 1);
		verdict_at_most(cases[i].name, "ms excused later", (double)a->excused_ns / 1e6, 0);
		daemon_done(&d);
		host_done(&h);
	}
	verdict_assert();
}

/*
 * What a mapping too large to slice costs its process: one hold in the age for giants, none if that is 0. Their forks are
 * spoken for.
 */
static void giants_are_held_once_an_hour(void **state)
{
	static const struct {
		const char *name;
		uint64_t giant_age_ns;
		double forks;
	} cases[] = {
		{"giants, never", 0, 0},
		{"giants, an hour", 3600 * NS_PER_SEC, 0},
		{"giants, ten minutes", 600 * NS_PER_SEC, 0},
		{"giants and forks, never", 0, 0.5},
		{"giants and forks, an hour", 3600 * NS_PER_SEC, 0.5},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const uint64_t passes = extent_is_long() ? 3600 : 400, giants = 3,
			       age_ns = cases[i].giant_age_ns;
		const char *name = cases[i].name;
		struct daemon_options options = daemon_defaults;
		struct host_rates rates = population_some_events;
		uint64_t expected; /* holds */
		struct host h;
		struct daemon d;

		options.giant_age_ns = age_ns;
		rates.forks = 0; /* before anything is known of the giants */
		host_init(&h, population_seed(50));
		population_grow(&h, 30, 30);
		for (uint64_t n = 0; n < giants; n++)
			host_spawn(&h, 1, n ? HOST_LEAK : HOST_IDLE, UINT64_C(4) << 18, 1);
		/* As large, but in 256 mappings, and one that takes no longer than is allowed: sliced. */
		host_spawn(&h, 2, HOST_LEAK, UINT64_C(4) << 18, 256);
		host_spawn(&h, 2, HOST_IDLE, UINT64_C(2) << 17, 64);
		daemon_init(&d, &h, &options);
		daemon_run(&d, &rates, 31);
		rates.forks = cases[i].forks;
		daemon_run(&d, &rates, passes - 31);
		verdict_print(name, &d);
		verdict_check(name, &d);
		expected = giants * (age_ns ? 1 + passes * options.interval_ns / age_ns : 0);
		/* A fork whose parent had ended before anybody saw it is nobody's. */
		verdict_at_most(name, "holds", (double)d.kernel.giant_holds,
			(double)expected + (rates.forks > 0 ? 1 : 0));
		verdict_at_most(name, "holds that there should be", (double)expected * 0.9,
			(double)d.kernel.giant_holds);
		verdict_at_most(name, "s that should be between two holds", (double)age_ns / 1e9,
			(double)d.kernel.least_giant_gap_ns / 1e9);
		/* What is predicted to take longer than 2 ms is sliced. */
		verdict_at_most(
			name, "ms of the longest hold", (double)d.kernel.longest_hold_ns / 1e6, 3);
		assert_true(d.kernel.slice_walks > 0);
		verdict_at_most(name, "s of age", (double)d.account.oldest_ns / 1e9,
			(double)options.max_age_ns / 1e9);
		if (age_ns && rates.forks <= 0)
			verdict_at_most(name, "s of age of giants",
				(double)d.account.oldest_giant_ns / 1e9,
				(double)(age_ns + 3 * options.interval_ns) / 1e9);
		daemon_done(&d);
		host_done(&h);
	}
	verdict_assert();
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(budgets_hold),
		cmocka_unit_test(nothing_starves),
		cmocka_unit_test(error_shrinks_as_the_budget_grows),
		cmocka_unit_test(what_was_there_is_known_soon),
		cmocka_unit_test(giants_are_held_once_an_hour),
	};

	verdict_choose(argc, argv);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
