/* SPDX-License-Identifier: Apache-2.0 */
/* Surveys of mapped files on simulated hosts: they find all files and keep the budgets. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include "base/clock.h"
#include "collectors/pass/pass-private.h"
#include "tests/sim/host/files.h"
#include "tests/sim/host/population.h"
#include "tests/sim/verdict.h"

#define HOUR_NS (3600 * NS_PER_SEC)

/* Sums over the files of all processes, from the host's data; bytes. */
struct truth {
	double pss;
	uint64_t rss, mappings;
};

static struct truth truth_of(const struct host *h)
{
	struct truth t = {0};

	for (size_t slot = 0; slot < h->slots; slot++) {
		struct files_cursor cursor = {.at = FILES_TEXT};
		struct files_mapping m;

		while (host_is_alive(&h->process[slot]) && files_next(h, slot, &cursor, &m))
			if (m.inode) {
				t.pss += m.piece.pss;
				t.rss += m.piece.rss;
				t.mappings++;
			}
	}
	return t;
}

static const struct survey_result *found_by(const struct daemon *d)
{
	assert_true(d->pass->survey.is_there);
	return &d->pass->survey;
}

static double minutes(const struct survey_result *c)
{
	return (double)(c->ended_ns - c->begun_ns) / 60e9;
}

static uint64_t called(const struct survey_result *c)
{
	uint64_t n = 0;

	for (unsigned int i = SURVEY_READ; i <= SURVEY_ERROR; i++)
		n += c->q[i];
	return n;
}

/*
 * Surveys one host without events. Returns how many processes the survey left out: after a read
 * that took 20 times as long as usual, by chance, the next read of that process may be predicted to
 * exceed the stall budget.
 */
static uint64_t survey_quiet_host(uint64_t seed)
{
	struct daemon_options options = daemon_defaults;
	const struct survey_result *c;
	uint64_t left_out;
	struct truth t;
	struct host h;
	struct daemon d;

	options.files_ns = HOUR_NS;
	host_init(&h, seed);
	population_grow(&h, 200, 40);
	daemon_init(&d, &h, &options);
	daemon_run(&d, &population_no_events, 120);
	assert_int_equal(d.surveys, 1);
	c = found_by(&d);
	t = truth_of(&h);
	left_out = c->q[SURVEY_LEFT_OUT];
	assert_int_equal(c->q[SURVEY_READ] + left_out, h.living);
	assert_int_equal(called(c), h.living);
	assert_true(t.mappings > h.living);
	assert_true(c->q[SURVEY_RSS] <= t.rss);
	assert_true((double)c->q[SURVEY_PSS] <= t.pss + 1);
	if (left_out == 0) {
		assert_int_equal(c->q[SURVEY_RSS], t.rss);
		assert_true((double)c->q[SURVEY_PSS] >= t.pss - 1024 * (double)t.mappings);
	}
	verdict_at_most("survey", "minutes", minutes(c), 10);
	verdict_check("survey", &d);
	daemon_done(&d);
	host_done(&h);
	return left_out;
}

/*
 * Each process is read, and the sums are the host's, except for what the kernel rounds off for each
 * mapping.
 */
static void finds_all_mapped_files(void **state)
{
	struct spread left_out = {0};

	(void)state;
	for (uint64_t seed = 0; seed < population_seeds(); seed++)
		spread_add(&left_out, (double)survey_quiet_host(population_seed(200, seed)));
	verdict_mean("survey", "processes left out of 200", "", &left_out, 1);
	verdict_assert();
}

/*
 * At any budget, and however much of it measurements need: surveys do not increase what is spent,
 * hold no process for longer than allowed, and end. At the default they always end; at a tenth of
 * it, on half of the hosts.
 */
static void keeps_to_the_budget(void **state)
{
	static const uint32_t rates_ppm[] = {300, 1000, 10000};
	struct spread surveys = {0};

	(void)state;
	for (uint64_t seed = 0; seed < population_seeds(); seed++) {
		size_t i = seed % ARRAY_SIZE(rates_ppm);
		struct daemon_options options = daemon_defaults;
		char name[32];
		struct host h;
		struct daemon d;

		snprintf(name, sizeof(name), "at %u ppm", rates_ppm[i]);
		options.rate_ppm = rates_ppm[i];
		options.files_ns = NS_PER_SEC; /* one survey after the other */
		options.is_blind = true;
		host_init(&h, population_seed(210 + i, seed));
		population_grow(&h, 60, 40);
		daemon_init(&d, &h, &options);
		daemon_run(&d, &population_many_events, extent_is_long() ? 2000 : 100);
		verdict_check(name, &d);
		if (rates_ppm[i] == 1000)
			spread_add(&surveys, (double)d.surveys);
		if (rates_ppm[i] == 10000) {
			assert_true(d.surveys > 5);
			assert_true(found_by(&d)->q[SURVEY_READ] > h.living / 2);
		}
		daemon_done(&d);
		host_done(&h);
	}
	assert_true(spread_quantile(&surveys, 0.5) >= 1);
	verdict_assert();
}

/*
 * Processes of a host, in percent, that the last survey did not read, and that exited while it read
 * them.
 */
struct shortfall {
	struct spread unread, gone;
};

static void check_survey(const struct daemon *d, struct shortfall *s)
{
	const struct survey_result *c = found_by(d);
	double living = (double)d->host->living;

	assert_true(d->surveys > 1);
	assert_int_equal(c->q[SURVEY_ERROR] + c->q[SURVEY_DENIED], 0);
	spread_add(&s->unread, 100 - verdict_percent((double)c->q[SURVEY_READ], living));
	spread_add(&s->gone, verdict_percent((double)c->q[SURVEY_GONE], living));
}

/*
 * Returns the error of users in percent, on hosts of all seeds, with one survey after the other or
 * with none.
 */
static double error_with(bool surveys)
{
	const char *name = surveys ? "with surveys" : "without surveys";
	struct daemon_options options = daemon_defaults;
	struct shortfall shortfall = {0};
	struct verdict v = {0};

	options.files_ns = surveys ? NS_PER_SEC : 0;
	for (uint64_t seed = 0; seed < population_seeds(); seed++) {
		struct host h;
		struct daemon d;

		host_init(&h, population_seed(220, seed));
		population_grow(&h, 60, 40);
		daemon_init(&d, &h, &options);
		daemon_run(&d, &population_some_events, 31);
		daemon_restart_accounts(&d);
		daemon_run(&d, &population_some_events, extent_is_long() ? 300 : 30);
		verdict_check(name, &d);
		verdict_add(&v, &d);
		verdict_at_most(name, "deferred measurements",
			(double)d.account.deferred[MEASURE_PLAN_BUDGET], 0);
		verdict_at_most(name, "s of age", (double)d.account.oldest_ns / 1e9, 300);
		if (surveys)
			check_survey(&d, &shortfall);
		daemon_done(&d);
		host_done(&h);
	}
	if (surveys) {
		verdict_mean(name, "processes not read", "%", &shortfall.unread, 10);
		verdict_mean(name, "processes that exited while they were read", "%",
			&shortfall.gone, 10);
	}
	verdict_mean(name, "error of users", "%", &v.error, 100);
	return spread_mean(&v.error);
}

/* Surveys do not increase the mean error of passes: they use the rest of the budget. */
static void takes_nothing_from_measurements(void **state)
{
	double without = error_with(false);

	(void)state;
	verdict_at_most("surveys", "% of error", error_with(true), without * 1.1 + 0.05);
	verdict_assert();
}

/* A mapping too large to be walked is left out, and the survey reports that. */
static void leaves_giants_out(void **state)
{
	struct daemon_options options = daemon_defaults;

	(void)state;
	options.files_ns = HOUR_NS;
	for (uint64_t seed = 0; seed < population_seeds(); seed++) {
		const struct survey_result *c;
		struct host h;
		struct daemon d;

		host_init(&h, population_seed(230, seed));
		population_grow(&h, 50, 0);
		host_spawn(&h, 1, HOST_IDLE, UINT64_C(1) << 21, 1); /* 8 GiB: 57 ms */
		host_spawn(&h, 1, HOST_IDLE, UINT64_C(1) << 21, 4096);
		daemon_init(&d, &h, &options);
		daemon_run(&d, &population_no_events, 60);
		daemon_restart_accounts(&d);
		daemon_run(&d, &population_no_events, 60);
		assert_int_equal(d.surveys, 1);
		c = found_by(&d);
		assert_int_equal(c->q[SURVEY_LEFT_OUT], 1);
		assert_int_equal(c->q[SURVEY_READ], h.living - 1);
		verdict_check("giants", &d);
		daemon_done(&d);
		host_done(&h);
	}
	verdict_assert();
}

int main(int argc, char **argv)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_all_mapped_files),
		cmocka_unit_test(keeps_to_the_budget),
		cmocka_unit_test(takes_nothing_from_measurements),
		cmocka_unit_test(leaves_giants_out),
	};

	verdict_choose(argc, argv);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
