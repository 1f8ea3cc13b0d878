/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "tests/unit/unit.h"

#include "base/clock.h"
#include "collectors/turns.h"
#include "tests/unit/adaptive.h"

/* Between passes, what is in doubt is measured again, and the next pass shows it with its age. */
static void measures_between_passes(void **state)
{
	AUTO_ADAPTIVE struct adaptive *s = adaptive_new(&adaptive_options);
	AUTO_VIEW struct view *view = NULL;
	struct tree_process p = adaptive_cast[4];
	uint64_t now_ns, at_ns;

	(void)state;
	view_unref(adaptive_pass(s));
	p.rss_kib += 40000; /* of a file: the estimate is wide */
	adaptive_add(s, &p, 0);
	view_unref(adaptive_pass(s));
	p.pss_kib += 1234;
	adaptive_add(s, &p, 0);
	tree_expect(s->opened, OPENED_FILES);
	now_ns = clock_now_ns(CLOCK_MONOTONIC);
	pass_plan(s->pass, now_ns + 10 * NS_PER_SEC);
	at_ns = pass_next_measure_ns(s->pass, now_ns);
	assert_true(at_ns > now_ns + NS_PER_SEC && at_ns < now_ns + 9 * NS_PER_SEC);
	assert_int_equal(s->opened[OPENED_ROLLUP].count, 0);
	assert_int_equal(pass_measure(s->pass), 0);
	assert_int_equal(s->opened[OPENED_ROLLUP].count, 1);
	assert_int_equal(pass_next_measure_ns(s->pass, now_ns), UINT64_MAX);
	view = adaptive_pass(s);
	assert_int_equal(s->opened[OPENED_ROLLUP].count, 0);
	assert_int_equal(adaptive_row(view, 13)->source, SOURCE_ROLLUP);
	assert_int_equal(adaptive_row(view, 13)->q[PROCESS_PSS], p.pss_kib * 1024);
	assert_int_equal(adaptive_row(view, 12)->source, SOURCE_ESTIMATE);
}

/* Whom the plan has chosen has to wait all the same when the budget is gone, and turns do not pile up. */
static void waits_for_its_budget(void **state)
{
	AUTO_ADAPTIVE struct adaptive *s = adaptive_new(&adaptive_options);
	struct pass_options poor = adaptive_options;
	uint64_t now_ns;

	(void)state;
	poor.budget_cpu_ppm = 1;
	view_unref(adaptive_pass(s));
	for (size_t i = 1; i < ARRAY_SIZE(adaptive_cast); i++) {
		struct tree_process p = adaptive_cast[i];

		p.rss_kib += 40000;
		adaptive_add(s, &p, 0);
	}
	view_unref(adaptive_pass(s));
	now_ns = clock_now_ns(CLOCK_MONOTONIC);
	pass_plan(s->pass, now_ns + 10 * NS_PER_SEC);
	pass_set_options(s->pass, &poor); /* at once */
	tree_expect(s->opened, OPENED_FILES);
	for (unsigned int turn = 0; turn < 5; turn++)
		assert_int_equal(pass_measure(s->pass), 0);
	assert_true(s->opened[OPENED_ROLLUP].count <= 1); /* the one that may overdraw it */
	assert_true(pass_next_measure_ns(s->pass, now_ns) >= now_ns + 10 * NS_PER_SEC);
	pass_set_options(s->pass, &adaptive_options);
	for (unsigned int turn = 0; turn < 5; turn++) {
		struct timespec t = {.tv_nsec = 1000000};

		nanosleep(&t, NULL);
		assert_int_equal(pass_measure(s->pass), 0);
	}
	assert_int_equal(s->opened[OPENED_ROLLUP].count, 4);
}

/* Nobody who is read by slices keeps another waiting: neither one that is, nor one that is not. */
static void walks_do_not_wait_for_each_other(void **state)
{
	AUTO_ADAPTIVE struct adaptive *s = adaptive_new(&adaptive_options);
	struct tree_process p = adaptive_large, small = adaptive_cast[4];
	const struct walks *walks = &s->pass->adapt.walks;
	unsigned int most = 0;
	bool is_small_first = false;

	(void)state;
	view_unref(adaptive_pass(s));
	for (p.pid = 50; p.pid < 56; p.pid++) {
		p.image = (uint64_t)p.pid;
		adaptive_add(s, &p, 0);
		adaptive_add_mappings(s, &p, 32);
	}
	small.rss_kib += 40000;
	adaptive_add(s, &small, 0);
	view_unref(adaptive_pass(s));
	for (size_t i = 0; i < WALKS_AT_ONCE; i++)
		assert_int_equal(walks->walk[i].slices.fd, -1);
	tree_expect(s->opened, OPENED_FILES);
	adaptive_plan(s, 100);
	for (unsigned int turns = 0; turns < 10000 && adaptive_turn(s); turns++) {
		s->pass->turns.turn_ns = 0; /* as if much time had gone by */
		most = walks->under_way > most ? walks->under_way : most;
		is_small_first |= s->opened[OPENED_ROLLUP].count == 1 &&
		                  !walks->counts.reads[COST_SLICES];
	}
	assert_int_equal(most, 4);
	assert_int_equal(walks->counts.reads[COST_SLICES], 6);
	assert_int_equal(walks->counts.discarded, 0);
	assert_true(is_small_first);
}

/* Stopped, suspended or late: when the pass is due there are no turns. */
static void has_no_turns_when_a_pass_is_due(void **state)
{
	AUTO_ADAPTIVE struct adaptive *s = adaptive_new(&adaptive_options);
	struct tree_process p = adaptive_cast[4];
	uint64_t now_ns;

	(void)state;
	view_unref(adaptive_pass(s));
	p.rss_kib += 40000;
	adaptive_add(s, &p, 0);
	view_unref(adaptive_pass(s));
	now_ns = clock_now_ns(CLOCK_MONOTONIC);
	pass_plan(s->pass, now_ns + NS_PER_SEC);
	assert_true(pass_next_measure_ns(s->pass, now_ns) < now_ns + NS_PER_SEC);
	assert_int_equal(pass_next_measure_ns(s->pass, now_ns + NS_PER_SEC), UINT64_MAX);
	assert_int_equal(pass_next_measure_ns(s->pass, now_ns + 3600 * NS_PER_SEC), UINT64_MAX);
	assert_int_equal(pass_begin(s->pass), 0);
	assert_int_equal(pass_next_measure_ns(s->pass, now_ns), UINT64_MAX);
	tree_expect(s->opened, OPENED_FILES);
	assert_int_equal(pass_measure(s->pass), 0); /* nor during one */
	assert_int_equal(s->opened[OPENED_ROLLUP].count, 0);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(measures_between_passes),
		cmocka_unit_test(waits_for_its_budget),
		cmocka_unit_test(walks_do_not_wait_for_each_other),
		cmocka_unit_test(has_no_turns_when_a_pass_is_due),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
