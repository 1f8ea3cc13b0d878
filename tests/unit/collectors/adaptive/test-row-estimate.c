/* SPDX-License-Identifier: Apache-2.0 */
/* Tests what an adaptive pass shows for a process, and the statistics of its errors. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include <time.h>

#include "base/clock.h"
#include "collectors/adaptive/last-measured.h"
#include "collectors/adaptive/row-estimate.h"
#include "tests/unit/support/tree/adaptive.h"
#include "tests/unit/support/tree/run.h"

#define PAGE UINT64_C(4096)
#define MIB  (UINT64_C(1) << 20)
#define SEC  NS_PER_SEC

/* 10 MiB of RSS, 4 MiB of it of files; 7 MiB of PSS, measured at 5 s. */
static struct tracked measured(void)
{
	return (struct tracked){
		.base = {.anon = 6 * MIB,
			.file = 4 * MIB,
			.pss_anon = 6 * MIB,
			.pss_file = MIB,
			.uss = 6 * MIB,
			.swap_pss = 0,
			.has_parts = true},
		.seen = {.resident = 10 * MIB / PAGE, .shared = 4 * MIB / PAGE},
		.present = UINT64_C(1) << PROCESS_RSS,
		.measured_ns = 5 * SEC,
		.source = SOURCE_ROLLUP,
		.outcome = OUTCOME_MEASURED,
		.has_base = true,
		.image = TRACKED_SETTLED,
	};
}

static struct snapshot_process fill(struct row_estimate *f, struct tracked *w, uint64_t since_ns)
{
	struct process p = {.pid = 7,
		.uid = 8,
		.tracked = w,
		.block.file = w->outcome == OUTCOME_BLOCKED ? "smaps_rollup" : NULL};
	struct snapshot_process row = {0};

	row_estimate_fill(f, &p, since_ns, &row);
	assert_int_equal(row.pid, 7);
	assert_int_equal(row.uid, 8);
	return row;
}

static void distinguishes_measurement_and_estimate(void **state)
{
	struct estimate_doubt doubt = {.file_up = MIB};
	struct tracked w = measured();
	struct row_estimate f;

	(void)state;
	row_estimate_init(&f, PAGE);
	assert_int_equal(fill(&f, &w, 5 * SEC).source, SOURCE_ROLLUP);
	assert_int_equal(fill(&f, &w, 5 * SEC).q[PROCESS_PSS], 7 * MIB);
	assert_int_equal(fill(&f, &w, 5 * SEC + 1).source, SOURCE_ESTIMATE);
	w.doubt = &doubt;
	assert_int_equal(fill(&f, &w, 5 * SEC).source, SOURCE_ESTIMATE);
	w.doubt = NULL;
	w.seen.resident++;
	assert_int_equal(fill(&f, &w, 5 * SEC).source, SOURCE_ESTIMATE);
	assert_int_equal(fill(&f, &w, 5 * SEC).outcome, OUTCOME_MEASURED);
}

/* After a failed measurement a process has no PSS, and the outcome says why. */
static void a_failure_is_no_estimate(void **state)
{
	struct tracked w = measured();
	struct snapshot_process row;
	struct row_estimate f;

	(void)state;
	row_estimate_init(&f, PAGE);
	w.has_base = false;
	w.outcome = OUTCOME_DENIED;
	row = fill(&f, &w, 0);
	assert_int_equal(row.outcome, OUTCOME_DENIED);
	assert_int_equal(row.source, SOURCE_RSS);
	assert_false(ROW_HAS(&row, PROCESS_PSS));
	assert_int_equal(row.q[PROCESS_RSS], 10 * MIB);
	w.present = 0;
	assert_int_equal(fill(&f, &w, 0).source, SOURCE_NONE);
}

/*
 * A blocked process has its last measurement carried forward with bounds, or its RSS if it was
 * never measured.
 */
static void a_blocked_process_is_estimated(void **state)
{
	struct tracked w = measured();
	struct snapshot_process row;
	struct row_estimate f;

	(void)state;
	row_estimate_init(&f, PAGE);
	w.outcome = OUTCOME_BLOCKED;
	row = fill(&f, &w, 5 * SEC);
	assert_int_equal(row.outcome, OUTCOME_BLOCKED);
	assert_int_equal(row.source, SOURCE_ESTIMATE);
	assert_int_equal(row.q[PROCESS_PSS], 7 * MIB);
	assert_true(ROW_HAS(&row, PROCESS_PSS_LOW) && ROW_HAS(&row, PROCESS_PSS_HIGH));
	assert_true(ROW_HAS(&row, PROCESS_PSS_AGE));
	assert_true(snapshot_has_figure(&row));
	assert_false(snapshot_is_guess(&row));
	w.has_base = false;
	w.measured_ns = 0;
	row = fill(&f, &w, 0);
	assert_int_equal(row.outcome, OUTCOME_BLOCKED);
	assert_int_equal(row.source, SOURCE_RSS);
	assert_int_equal(row.q[PROCESS_RSS], 10 * MIB);
	assert_false(ROW_HAS(&row, PROCESS_PSS));
	assert_false(snapshot_has_figure(&row));
}

/* The kernel's counters may be lower than what the walk found. */
static void the_bounds_of_a_blocked_process_contain_its_pss(void **state)
{
	static const uint64_t cases[][3] = {{10, 7, 10}, {5, 7, 7}}; /* RSS, PSS, high */

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct snapshot_process row = {0};

		ROW_SET(&row, PROCESS_RSS, cases[i][0] * MIB);
		ROW_SET(&row, PROCESS_PSS, cases[i][1] * MIB);
		ROW_SET(&row, PROCESS_USS, MIB);
		last_measured_widen(&row);
		assert_int_equal(row.q[PROCESS_PSS_LOW], 0);
		assert_int_equal(row.q[PROCESS_PSS_HIGH], cases[i][2] * MIB);
		assert_false(ROW_HAS(&row, PROCESS_USS));
	}
}

/*
 * A process that was never measured: its private memory, and files in the ratio that the other
 * processes had in the last pass.
 */
static void guesses_by_shares_of_others(void **state)
{
	struct tracked w = measured(), unknown = measured();
	struct snapshot_process row;
	struct row_estimate f;

	(void)state;
	unknown.has_base = false;
	unknown.measured_ns = 0;
	row_estimate_init(&f, PAGE);
	row_estimate_begin(&f, 0, SEC);
	row = fill(&f, &unknown, 0);
	assert_int_equal(row.q[PROCESS_PSS], 8 * MIB); /* no other process: half */
	assert_int_equal(row.q[PROCESS_PSS_LOW], 0);
	assert_int_equal(row.q[PROCESS_PSS_HIGH], 10 * MIB);
	assert_false(ROW_HAS(&row, PROCESS_PSS_AGE));
	fill(&f, &w, 0);
	assert_int_equal(fill(&f, &unknown, 0).q[PROCESS_PSS], 8 * MIB);
	row_estimate_begin(&f, 0, SEC);
	assert_int_equal(fill(&f, &unknown, 0).q[PROCESS_PSS], 7 * MIB); /* a quarter of 4 */
	row_estimate_begin(&f, 0, SEC);
	assert_int_equal(fill(&f, &unknown, 0).q[PROCESS_PSS], 8 * MIB);
}

static void knows_the_oldest(void **state)
{
	uint64_t now_ns = clock_now_ns(CLOCK_BOOTTIME);
	struct tracked old = measured(), young = measured();
	struct row_estimate f;

	(void)state;
	old.measured_ns = now_ns - 300 * NS_PER_MSEC;
	young.measured_ns = now_ns;
	row_estimate_init(&f, PAGE);
	row_estimate_begin(&f, 0, SEC);
	assert_int_equal(row_estimate_oldest_ns(&f, now_ns), 0);
	fill(&f, &young, 0);
	fill(&f, &old, 0);
	fill(&f, &young, 0);
	assert_int_equal(row_estimate_oldest_ns(&f, now_ns), 300 * NS_PER_MSEC);
	assert_int_equal(f.measured_ns, old.measured_ns);
	row_estimate_begin(&f, 0, SEC);
	assert_int_equal(row_estimate_oldest_ns(&f, now_ns), 0);
}

static void counts_errors(void **state)
{
	struct row_estimate f;

	(void)state;
	row_estimate_init(&f, PAGE);
	row_estimate_found(&f, 150, 100);
	row_estimate_found(&f, 50, 100);
	row_estimate_found(&f, 0, 0);
	row_estimate_found(&f, 1, 0); /* as much as all of it */
	assert_int_equal(f.errors.count, 4);
	assert_int_equal(f.errors.sum_ns, 2 * SEC);
	assert_int_equal(f.off_bytes, 101);
	assert_int_equal(f.found_bytes, 200);
	/* Recent errors fade, by the part of a maximum age that has passed. The sums do not. */
	assert_int_equal(f.recent_off, 101);
	assert_int_equal(f.recent_found, 200);
	row_estimate_begin(&f, 60 * SEC, 300 * SEC);
	assert_int_equal(f.recent_found, 160);
	assert_int_equal(f.recent_off, 81);
	row_estimate_found(&f, 100, 40);
	assert_int_equal(f.recent_found, 200);
	assert_int_equal(f.recent_off, 141);
	row_estimate_begin(&f, 300 * SEC, 300 * SEC);
	assert_int_equal(f.recent_found + f.recent_off, 0);
	assert_int_equal(f.found_bytes, 240);
}

/* In a pass they fade by the time since the last one. */
static void recent_errors_fade(void **state)
{
	AUTO_ADAPTIVE struct adaptive *s = adaptive_new_within(NS_PER_MSEC);
	const struct timespec longer = {.tv_nsec = 2 * NS_PER_MSEC};
	struct row_estimate *f = &s->pass->adaptive.estimates;

	(void)state;
	view_unref(adaptive_pass(s));
	row_estimate_found(f, UINT64_C(1) << 50, UINT64_C(1) << 50);
	nanosleep(&longer, NULL);
	view_unref(adaptive_pass(s));
	assert_true(f->found_bytes >= UINT64_C(1) << 50);
	assert_true(f->recent_found < UINT64_C(1) << 49);
}

/* Without tokens the other processes wait: their figures come from counters alone. */
static void guesses_without_budget(void **state)
{
	struct pass_options poor = run_adaptive;
	AUTO_ADAPTIVE struct adaptive *s = NULL;
	AUTO_VIEW struct view *view = NULL, *next = NULL;
	const struct snapshot_process *row;
	unsigned int measured = 0;
	struct tree_process p;

	(void)state;
	poor.budget_cpu_ppm = 1; /* 60 us a minute */
	s = adaptive_new(&poor);
	view_unref(adaptive_pass(s)); /* processes that are there at the start are excused */
	for (size_t i = 1; i < ARRAY_SIZE(adaptive_cast); i++) {
		p = adaptive_cast[i];
		p.pid += 100;
		adaptive_add(s, &p, 0);
	}
	view = adaptive_pass(s);
	for (size_t i = 1; i < ARRAY_SIZE(adaptive_cast); i++) {
		row = adaptive_row(view, (uint32_t)adaptive_cast[i].pid + 100);
		assert_int_equal(row->outcome, OUTCOME_MEASURED);
		assert_true(ROW_HAS(row, PROCESS_PSS));
		if (row->source == SOURCE_ROLLUP) {
			measured++;
			continue;
		}
		assert_int_equal(row->source, SOURCE_ESTIMATE);
		assert_false(ROW_HAS(row, PROCESS_PSS_AGE)); /* there is no measurement */
		assert_int_equal(row->q[PROCESS_PSS_LOW], 0);
		assert_int_equal(row->q[PROCESS_PSS_HIGH], adaptive_cast[i].rss_kib * 1024);
		assert_true(row->q[PROCESS_PSS] >= adaptive_cast[i].uss_kib * 1024);
		assert_false(ROW_HAS(row, PROCESS_USS));
	}
	assert_true(measured <= 1);
	assert_false(ROW_HAS(view_host(view), SCOPE_USS));
	assert_int_equal(s->opened[OPENED_ROLLUP].count, measured);
	adaptive_plan(s, 1);
	assert_int_equal(pass_measure(s->pass), 0);
	assert_int_equal(s->opened[OPENED_ROLLUP].count, measured);
	poor.budget_cpu_ppm = 1000000;
	pass_set_options(s->pass, &poor);        /* takes effect at once */
	for (unsigned int i = 0; i < 100; i++) { /* until the debt is paid */
		struct timespec t = {.tv_nsec = 1000000};

		nanosleep(&t, NULL);
		next = view_unref(next);
		next = adaptive_pass(s);
		if (adaptive_row(next, 113)->source == SOURCE_ROLLUP)
			break;
	}
	assert_int_equal(adaptive_row(next, 113)->q[PROCESS_PSS], 64004 * 1024);
}

static void reports_denied_processes(void **state)
{
	AUTO_ADAPTIVE struct adaptive *s = adaptive_new(&run_adaptive);
	const struct snapshot_process *row;
	struct tree_process p = adaptive_cast[3];

	(void)state;
	s->opened[OPENED_ROLLUP].error = EACCES;
	for (unsigned int pass = 0; pass < 3; pass++) {
		AUTO_VIEW struct view *view = NULL;

		if (pass == 2) { /* its status is read, and does not change the outcome */
			p.rss_kib += 100;
			adaptive_add(s, &p, 0);
		}
		view = adaptive_pass(s);
		row = adaptive_row(view, 12);
		assert_int_equal(row->outcome, OUTCOME_DENIED);
		assert_int_equal(row->source, SOURCE_RSS);
		assert_false(ROW_HAS(row, PROCESS_PSS));
		assert_int_equal(row->q[PROCESS_RSS], p.rss_kib * 1024);
		assert_int_equal(view_host(view)->q[SCOPE_UNMEASURED_DENIED], 4);
		assert_int_equal(
			s->opened[OPENED_ROLLUP].count, pass ? 0 : 4); /* it is not tried again */
		assert_false(view_is_complete(view));
	}
}

/*
 * If a measurement is deferred because of size or cost, permission to read the process is tested
 * once.
 */
static void denies_at_first_sight(void **state)
{
	struct tree_event smaps = {.suffix = "smaps", .error = EACCES};
	struct pass_options poor = run_adaptive;
	struct tree_process p = adaptive_worker;
	AUTO_ADAPTIVE struct adaptive *s = NULL;
	const struct snapshot_process *row;

	(void)state;
	poor.budget_cpu_ppm = 1;
	s = adaptive_new(&poor);
	adaptive_add(s, &adaptive_large, 0);
	adaptive_add_mappings(s, &adaptive_large, 32);
	for (unsigned int pass = 0; pass < 3; pass++) {
		AUTO_VIEW struct view *view = NULL;

		if (pass == 1) /* a newborn for which there are no tokens */
			cpu_budget_charge(&s->pass->adaptive.budget, clock_now_ns(CLOCK_MONOTONIC),
				NS_PER_SEC);
		if (pass == 1) {
			adaptive_add(s, &p, 0);
			adaptive_add_mappings(s, &p, 1);
		}
		tree_expect(&smaps, 1);
		view = run_pass(s->pass);
		assert_int_equal(smaps.count, pass < 2);
		row = adaptive_row(view, 50);
		assert_int_equal(row->outcome, OUTCOME_DENIED);
		assert_int_equal(row->source, SOURCE_RSS);
		assert_false(ROW_HAS(row, PROCESS_PSS));
		if (!pass)
			continue;
		assert_int_equal(adaptive_row(view, 30)->outcome, OUTCOME_DENIED);
		assert_int_equal(view_host(view)->q[SCOPE_UNMEASURED_DENIED], 2);
	}
	assert_int_equal(adaptive_turns(s), 0);

	/* a new image is tested again */
	smaps.error = 0;
	p.image++;
	p.rss_kib += 400;
	adaptive_add(s, &p, 0);
	for (unsigned int pass = 0; pass < 2; pass++) {
		AUTO_VIEW struct view *view = NULL;

		tree_expect(&smaps, 1);
		view = run_pass(s->pass);
		assert_int_equal(smaps.count, !pass);
		assert_int_equal(adaptive_row(view, 30)->outcome, OUTCOME_MEASURED);
		assert_int_equal(adaptive_row(view, 30)->source, SOURCE_ESTIMATE);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(distinguishes_measurement_and_estimate),
		cmocka_unit_test(a_failure_is_no_estimate),
		cmocka_unit_test(a_blocked_process_is_estimated),
		cmocka_unit_test(the_bounds_of_a_blocked_process_contain_its_pss),
		cmocka_unit_test(guesses_by_shares_of_others),
		cmocka_unit_test(knows_the_oldest),
		cmocka_unit_test(counts_errors),
		cmocka_unit_test(recent_errors_fade),
		cmocka_unit_test(guesses_without_budget),
		cmocka_unit_test(reports_denied_processes),
		cmocka_unit_test(denies_at_first_sight),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
