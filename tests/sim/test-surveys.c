/* SPDX-License-Identifier: Apache-2.0 */
/* Surveys of mapped files on simulated hosts: that they find what is there, and cost what they may. */
#include "config.h"

#include "tests/unit/unit.h"

#include "base/clock.h"
#include "collectors/pass-state.h"
#include "tests/sim/files.h"
#include "tests/sim/population.h"
#include "tests/sim/verdict.h"

#define HOUR_NS (3600 * NS_PER_SEC)

/* What processes have of files, added up from the host's own books; bytes. */
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

		while (h->process[slot].pid && files_next(h, slot, &cursor, &m))
			if (m.inode) {
				t.pss += m.piece.pss;
				t.rss += m.piece.rss;
				t.mappings++;
			}
	}
	return t;
}

static const struct catalogue *found_by(const struct daemon *d)
{
	assert_true(d->pass->catalogue.is_there);
	return &d->pass->catalogue;
}

static double minutes(const struct catalogue *c)
{
	return (double)(c->ended_ns - c->begun_ns) / 60e9;
}

static uint64_t called(const struct catalogue *c)
{
	uint64_t n = 0;

	for (unsigned int i = SURVEY_READ; i <= SURVEY_ERROR; i++)
		n += c->q[i];
	return n;
}

/* Where nothing happens, each is read, and the sums are the host's but for what the kernel rounds off each mapping. */
static void finds_what_is_there(void **state)
{
	struct daemon_options options = daemon_defaults;
	const struct catalogue *c;
	struct truth t;
	struct host h;
	struct daemon d;

	(void)state;
	options.files_ns = HOUR_NS;
	host_init(&h, population_seed(200));
	population_grow(&h, 400, 40);
	daemon_init(&d, &h, &options);
	daemon_run(&d, &population_no_events, 120);
	assert_int_equal(d.surveys, 1);
	c = found_by(&d);
	t = truth_of(&h);
	assert_int_equal(c->q[SURVEY_READ], h.living);
	assert_int_equal(called(c), h.living);
	assert_true(t.mappings > h.living);
	assert_int_equal(c->q[SURVEY_RSS], t.rss);
	assert_true((double)c->q[SURVEY_PSS] <= t.pss + 1);
	assert_true((double)c->q[SURVEY_PSS] >= t.pss - 1024 * (double)t.mappings);
	print_message("%u processes in %.1f min, %u turns\n", (unsigned int)h.living, minutes(c),
		(unsigned int)d.turns);
	verdict_at_most("survey", "minutes", minutes(c), 10);
	verdict_check("survey", &d);
	daemon_done(&d);
	host_done(&h);
	verdict_assert();
}

/*
 * Whatever there is to spend, and however much of it is needed for measurements: no more is spent than without, nobody is kept
 * waiting for longer than is allowed, and surveys come to an end.
 */
static void keeps_to_the_budget(void **state)
{
	static const uint32_t rates_ppm[] = {300, 1000, 10000};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rates_ppm); i++) {
		struct daemon_options options = daemon_defaults;
		char name[32];
		struct host h;
		struct daemon d;

		snprintf(name, sizeof(name), "at %u ppm", rates_ppm[i]);
		options.rate_ppm = rates_ppm[i];
		options.files_ns = NS_PER_SEC; /* one after the other */
		options.is_blind = true;
		host_init(&h, population_seed(210 + i));
		population_grow(&h, 200, 40);
		daemon_init(&d, &h, &options);
		daemon_run(&d, &population_many_events, extent_is_long() ? 2000 : 300);
		verdict_print(name, &d);
		print_message("%s: %u surveys, %u turns; the last took %.1f min\n", name,
			(unsigned int)d.surveys, (unsigned int)d.turns,
			d.pass->catalogue.is_there ? minutes(&d.pass->catalogue) : -1);
		verdict_check(name, &d);
		if (rates_ppm[i] >= 1000) {
			assert_true(d.surveys > 5);
			assert_true(found_by(&d)->q[SURVEY_READ] > h.living / 2);
		}
		daemon_done(&d);
		host_done(&h);
	}
	verdict_assert();
}

/* On a day's host surveys, one after the other, do not make the figures of passes worse: they have what is left. */
static void takes_nothing_from_measurements(void **state)
{
	double error[2] = {0};

	(void)state;
	for (unsigned int surveys = 0; surveys < 2; surveys++) {
		struct daemon_options options = daemon_defaults;
		struct host h;
		struct daemon d;

		options.files_ns = surveys * NS_PER_SEC;
		host_init(&h, population_seed(220));
		population_grow(&h, 300, 40);
		daemon_init(&d, &h, &options);
		daemon_run(&d, &population_some_events, 31);
		daemon_restart_accounts(&d);
		daemon_run(&d, &population_some_events, extent_is_long() ? 600 : 120);
		verdict_print(surveys ? "with surveys" : "without", &d);
		verdict_check(surveys ? "with surveys" : "without", &d);
		error[surveys] = verdict_percent(d.account.error, d.account.truth);
		verdict_at_most("surveys", "put off", (double)d.account.deferred[PLAN_BUDGET], 0);
		verdict_at_most("surveys", "s of age", (double)d.account.oldest_ns / 1e9, 300);
		if (surveys) {
			const struct catalogue *c = found_by(&d);

			assert_true(d.surveys > 1);
			/* Who ended in the middle is rare, and who is read is nearly everybody. */
			assert_true(c->q[SURVEY_READ] > h.living * 9 / 10);
			assert_true(c->q[SURVEY_GONE] < h.living / 20);
			assert_int_equal(c->q[SURVEY_ERROR] + c->q[SURVEY_DENIED], 0);
		}
		daemon_done(&d);
		host_done(&h);
	}
	print_message("error %.3f %% without surveys, %.3f %% with\n", error[0], error[1]);
	verdict_at_most("surveys", "% of error", error[1], error[0] * 1.1 + 0.05);
	verdict_assert();
}

/* One mapping too large to be walked is not, and is told of. */
static void leaves_giants_out(void **state)
{
	struct daemon_options options = daemon_defaults;
	const struct catalogue *c;
	struct host h;
	struct daemon d;

	(void)state;
	options.files_ns = HOUR_NS;
	host_init(&h, population_seed(230));
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
	verdict_assert();
}

int main(int argc, char **argv)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_what_is_there),
		cmocka_unit_test(keeps_to_the_budget),
		cmocka_unit_test(takes_nothing_from_measurements),
		cmocka_unit_test(leaves_giants_out),
	};

	verdict_choose(argc, argv);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
