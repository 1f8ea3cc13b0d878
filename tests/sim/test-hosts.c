/* SPDX-License-Identifier: Apache-2.0 */
/* Passes on simulated hosts in unusual conditions, and checks of the simulation itself. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include "base/clock.h"
#include "collectors/pass/pass-private.h"
#include "tests/sim/host/population.h"
#include "tests/sim/verdict.h"

static void assert_near(double value, double expected)
{
	assert_true(value > expected * 0.999 && value < expected * 1.001);
}

/* The statistics of spread.h agree with published tables. */
static void statistics_are_right(void **state)
{
	struct spread s = {0};

	(void)state;
	for (unsigned int i = 0; i < 16; i++)
		spread_add(&s, 1 + (i * 7) % 16);
	assert_near(spread_mean(&s), 8.5);
	assert_near(spread_deviation(&s), 4.7610);
	assert_near(spread_quantile(&s, 0.5), 8.5);
	assert_near(spread_quantile(&s, 0.95), 15.25);
	assert_near(spread_quantile(&s, 1), 16);
	assert_near(spread_upper_limit(&s), 8.5 + 2.6025 * 4.7610 / 4);
	assert_near(spread_upper_part(0, 176), 0.025829);
	assert_near(spread_upper_part(1, 10), 0.50436);
	assert_near(spread_upper_part(10, 10), 1);
}

/* The counters of the simulated kernel stay consistent through all events. */
static void the_host_is_sound(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < population_seeds(); seed++) {
		struct host_rates rates = population_many_events;
		struct host h;

		rates.pressure = 0.2;
		rates.pressure_share = 0.2;
		host_init(&h, population_seed(0, seed));
		population_grow(&h, 100, 30);
		for (int i = 0; i < 50; i++) {
			host_live(&h, &rates, 1);
			assert_true(host_is_sound(&h));
			host_advance(&h, h.now_ns + 10 * NS_PER_MSEC);
		}
		assert_true(h.events > 200);
		host_done(&h);
	}
}

/* Runs one host with memory pressure for a while. */
static void put_under_pressure(uint64_t seed)
{
	struct host h;
	struct daemon d;
	uint64_t calm;

	host_init(&h, seed);
	population_grow(&h, 100, 40);
	daemon_init(&d, &h, &daemon_defaults);
	daemon_run(&d, &population_some_events, 40);
	daemon_restart_accounts(&d);
	daemon_run(&d, &population_some_events, 30);
	verdict_check("calm", &d);
	assert_int_equal(d.account.deferred[MEASURE_PLAN_PRESSURE], 0);
	calm = verdict_walks(&d);
	h.pressure = 5000; /* half of the time */
	daemon_restart_accounts(&d);
	daemon_run(&d, &population_some_events, 30);
	verdict_check("pressure", &d);
	assert_true(d.account.deferred[MEASURE_PLAN_PRESSURE] > 0);
	assert_true(verdict_walks(&d) < calm);
	verdict_at_most("pressure", "s of age", (double)d.account.oldest_ns / 1e9, 300);
	h.pressure = 0;
	daemon_run(&d, &population_some_events, 3);
	daemon_restart_accounts(&d);
	daemon_run(&d, &population_some_events, 30);
	verdict_check("relief", &d);
	assert_int_equal(d.account.deferred[MEASURE_PLAN_PRESSURE], 0);
	daemon_done(&d);
	host_done(&h);
}

/*
 * Under memory pressure memtallyd measures little. No process is left out, and deferred
 * measurements are made later.
 */
static void pressure_is_heeded(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < population_seeds(); seed++)
		put_under_pressure(population_seed(110, seed));
	verdict_assert();
}

/*
 * With descriptors for only some of the processes all are measured, and no more are open than
 * allowed.
 */
static void few_descriptors_suffice(void **state)
{
	static const size_t most[] = {134, 40};

	(void)state;
	for (uint64_t seed = 0; seed < population_seeds(); seed++) {
		size_t i = seed % ARRAY_SIZE(most);
		struct daemon_options options = daemon_defaults;
		struct host h;
		struct daemon d;

		host_init(&h, population_seed(120, seed));
		population_grow(&h, 100, 40);
		options.max_fds = most[i];
		daemon_init(&d, &h, &options);
		daemon_run(&d, &population_some_events, 40);
		verdict_check("descriptors", &d);
		verdict_at_most(
			"descriptors", "open", (double)d.vfs.most_open_files, (double)most[i]);
		verdict_at_most("descriptors", "s of age", (double)d.account.oldest_ns / 1e9, 300);
		daemon_done(&d);
		host_done(&h);
	}
	verdict_assert();
}

/*
 * memtallyd is stopped for an hour or a month, the host sleeps, the wall clock jumps, or there was
 * nothing to do. Afterwards there is much to read at once, and the budget still holds.
 */
static void time_may_jump(void **state)
{
	static const struct {
		int64_t stopped, suspended, wall; /* seconds */
	} jumps[] = {{0, 0, 0}, {3600, 0, 0}, {86400 * 30, 0, 0}, {0, 3600, 0}, {0, 0, -3600},
		{0, 0, 86400}};

	(void)state;
	for (uint64_t seed = 0; seed < population_seeds(); seed++) {
		size_t i = seed % ARRAY_SIZE(jumps);
		struct daemon_options options = daemon_defaults;
		struct host h;
		struct daemon d;

		options.rate_ppm = 1000;
		host_init(&h, population_seed(60 + i, seed));
		daemon_init(&d, &h, &options);
		population_grow(&h, 100, 40);
		daemon_run(&d, i ? &population_some_events : &population_no_events, 60);
		daemon_skip_time(&d, (uint64_t)jumps[i].stopped * NS_PER_SEC);
		kernel_suspend(&d.kernel, (uint64_t)jumps[i].suspended * NS_PER_SEC);
		d.kernel.wall_ns += jumps[i].wall * (int64_t)NS_PER_SEC;
		population_grow(&h, 200, 40);
		daemon_restart_accounts(&d);
		daemon_run(&d, &population_some_events, 30);
		/* At most one minute's worth and one read. */
		verdict_check("jump", &d);
		daemon_restart_accounts(&d);
		daemon_run(&d, &population_no_events, 30);
		assert_true(verdict_walks(&d) > 125);
		daemon_done(&d);
		host_done(&h);
	}
	verdict_assert();
}

/* On large hosts no statistic grows faster than the number of processes. */
static void large_hosts_are_watched(void **state)
{
	const size_t count = extent_is_long() ? 20000 : 500;
	struct daemon_options options = daemon_defaults;

	(void)state;
	options.rate_ppm = (extent_is_long() ? 6 : 2) * CPU_BUDGET_PPM_PER_PERCENT;
	options.is_blind = true;
	for (uint64_t seed = 0; seed < population_seeds(); seed++) {
		struct host h;
		struct daemon d;

		host_init(&h, population_seed(70, seed));
		population_grow(&h, count, 5);
		daemon_init(&d, &h, &options);
		daemon_run(&d, &population_some_events, 31);
		verdict_check("large", &d);
		/* Doubtful estimates want more than there is, so refreshes have half of it. */
		assert_true(d.account.oldest_ns <= options.max_age_ns + 3 * options.interval_ns);
		daemon_done(&d);
		host_done(&h);
	}
	verdict_assert();
}

/*
 * Checks for each process of ROLE how fast it grew in the last hour: between LEAST and MOST, with
 * at most ERROR (bytes a second).
 */
static void check_slopes(
	struct daemon *d, enum host_role role, double least, double most, double error)
{
	const struct process_table *t = &d->pass->table;
	unsigned int found = 0;

	for (size_t i = 0; i < t->count; i++) {
		const struct process *p = t->item[i];
		double slope, off;

		if (d->host->process[kernel_find(&d->kernel, (uint32_t)p->pid)].role != role)
			continue;
		found++;
		assert_true(growth_rate_slope(&p->growth.anon, &slope, &off));
		if (slope < least || slope > most || off > error)
			fail_msg("%d of role %d grows by %g +- %g a second", (int)p->pid, (int)role,
				slope, off);
	}
	assert_true(found > 0);
}

/*
 * Leaks are found mostly from statm of the last hour. Leaking processes show their true growth, and
 * others show none.
 */
static void leaks_are_seen(void **state)
{
	static const enum host_role roles[] = {HOST_LEAK, HOST_IDLE, HOST_CACHE};
	const struct host_rates rates = {.churn = 0.9};
	double leak = 8 * HOST_PAGE / 10.0; /* host-life.c: on average eight pages a pass */

	(void)state;
	for (uint64_t seed = 0; seed < population_seeds(); seed++) {
		struct host h;
		struct daemon d;

		host_init(&h, population_seed(121, seed));
		population_create_libraries(&h);
		for (size_t i = 0; i < 15; i++)
			host_map_libraries(&h, host_spawn(&h, (uint32_t)i % 8,
						       roles[i % ARRAY_SIZE(roles)], 1000, 8));
		daemon_init(&d, &h, &daemon_defaults);
		daemon_run(&d, &rates, 400);
		check_slopes(&d, HOST_LEAK, leak * 0.8, leak * 1.2, leak / 20);
		check_slopes(&d, HOST_IDLE, 0, 0, 0);
		check_slopes(&d, HOST_CACHE, 0, 0, 0);
		daemon_done(&d);
		host_done(&h);
	}
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(statistics_are_right),
		cmocka_unit_test(the_host_is_sound),
		cmocka_unit_test(pressure_is_heeded),
		cmocka_unit_test(few_descriptors_suffice),
		cmocka_unit_test(time_may_jump),
		cmocka_unit_test(large_hosts_are_watched),
		cmocka_unit_test(leaks_are_seen),
	};

	verdict_choose(argc, argv);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
