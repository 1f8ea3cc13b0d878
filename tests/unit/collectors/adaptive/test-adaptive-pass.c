/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests adaptive passes as a whole over a simulated /proc: what is measured, polled, and carried
 * forward.
 */
#include "config.h"

#include "tests/unit/support/unit.h"

#include <stdio.h>
#include <time.h>

#include "base/clock.h"
#include "collectors/adaptive/adaptive-pass.h"
#include "tests/unit/support/tree/adaptive.h"
#include "tests/unit/support/tree/run.h"

/*
 * The first pass measures as many processes as the budget allows. Later passes read only statm, by
 * descriptors that stay open.
 */
static void measures_once_and_then_polls(void **state)
{
	AUTO_ADAPTIVE struct adaptive *s = adaptive_new(&run_adaptive);

	(void)state;
	for (unsigned int pass = 0; pass < 4; pass++) {
		AUTO_VIEW struct view *view = adaptive_pass(s);

		assert_int_equal(view_count(view, METRIC_PROCESS), 4);
		for (size_t i = 1; i < ARRAY_SIZE(adaptive_cast); i++) {
			const struct snapshot_process *row = adaptive_row(
				view, (uint32_t)adaptive_cast[i].pid);

			adaptive_assert_quiet(row, &adaptive_cast[i]);
			/*
			 * Measured in the first pass; in the second that is no longer ago than one
			 * pass.
			 */
			assert_int_equal(row->source, pass < 2 ? SOURCE_ROLLUP : SOURCE_ESTIMATE);
			assert_string_equal(
				view_owner(view, row, OWNER_PROGRAM), adaptive_cast[i].name);
		}
		assert_int_equal(view_host(view)->q[SCOPE_PSS], ADAPTIVE_PSS_KIB * 1024);
		assert_int_equal(view_host(view)->q[SCOPE_PROCESSES], 4);
		assert_int_equal(view_self(view)->q[SELF_OUTCOME_FIRST + OUTCOME_NO_MM], 1);
		assert_int_equal(s->opened[OPENED_ROLLUP].count, pass ? 0 : 4);
		if (pass)
			assert_int_equal(adaptive_looks(s), 0);
		if (pass > 1) {
			assert_int_equal(s->opened[OPENED_STATM].count, 0);
			assert_int_equal(s->opened[OPENED_CGROUP].count, 0);
		}
		adaptive_plan(s, 1);
	}
}

/*
 * If a walk finds the size that status had just reported, the counters are not read again after it.
 */
static void refreshes_after_walks_that_differ(void **state)
{
	static const char status[] =
		"Name:\tworker\nState:\tS (sleeping)\nUid:\t0\t0\t0\t0\nVmSize:\t40000 kB\nVmRSS:\t10000 kB\n"
		"RssAnon:\t10000 kB\nRssFile:\t0 kB\nRssShmem:\t0 kB\nThreads:\t1\n";
	static const char rollup[] =
		"64000-7ff000000000 ---p 00000000 00:00 0 [rollup]\nRss: 10000 kB\nPss: 5500 kB\nAnonymous: %u kB\n";
	AUTO_ADAPTIVE struct adaptive *s = adaptive_new(&run_adaptive);
	unsigned int opened[3];
	char text[256], path[32];

	(void)state;
	s->pass->reader.kept_max = 0; /* without kept descriptors each refresh opens status */
	for (unsigned int pass = 0; pass < 3; pass++) {
		AUTO_VIEW struct view *view = NULL;
		struct tree_process p = adaptive_worker;

		p.pid += (pid_t)pass;
		adaptive_add_anon(s, &p);
		snprintf(path, sizeof(path), "%d/status", p.pid);
		tree_write(&s->tree, path, status);
		snprintf(path, sizeof(path), "%d/smaps_rollup", p.pid);
		snprintf(text, sizeof(text), rollup, pass < 2 ? 10000U : 9996U);
		tree_write(&s->tree, path, text);
		view = adaptive_pass(s);
		assert_int_equal(adaptive_row(view, (uint32_t)p.pid)->source, SOURCE_ROLLUP);
		opened[pass] = s->opened[OPENED_STATM].count;
	}
	/* one of the two is for the process that was added before */
	assert_int_equal(opened[2] - opened[1], 1 + 1);
}

static void carries_changes_forward(void **state)
{
	AUTO_ADAPTIVE struct adaptive *s = adaptive_new(&run_adaptive);
	AUTO_VIEW struct view *view = NULL;
	struct tree_process p = adaptive_cast[3];
	const struct snapshot_process *row;

	(void)state;
	view_unref(adaptive_pass(s));
	p.rss_kib += 1000;
	p.uss_kib += 1000;
	adaptive_add(s, &p, 0);
	view = adaptive_pass(s);
	row = adaptive_row(view, 12);
	assert_int_equal(s->opened[OPENED_ROLLUP].count, 0);
	assert_int_equal(adaptive_looks(s), 1);
	assert_int_equal(row->source, SOURCE_ESTIMATE);
	assert_int_equal(row->q[PROCESS_PSS], (1503 + 1000) * 1024);
	assert_int_equal(row->q[PROCESS_RSS], 6000 * 1024);
	assert_int_equal(row->q[PROCESS_VM_SIZE], p.rss_kib * 3 * 1024);
	assert_true(row->q[PROCESS_PSS_LOW] <= row->q[PROCESS_PSS]);
	assert_true(row->q[PROCESS_PSS_HIGH] >= row->q[PROCESS_PSS]);
	assert_int_equal(view_host(view)->q[SCOPE_PSS], (ADAPTIVE_PSS_KIB + 1000) * 1024);
}

/*
 * A process that executed another program is measured at once. Nothing of its former image is
 * carried over.
 */
static void measures_new_images_at_once(void **state)
{
	AUTO_ADAPTIVE struct adaptive *s = adaptive_new(&run_adaptive);
	AUTO_VIEW struct view *view = NULL;
	struct tree_process exec = adaptive_cast[3], born = {.pid = 20,
							     .image = 20,
							     .name = "new",
							     .rss_kib = 400,
							     .pss_kib = 300,
							     .uss_kib = 200};

	(void)state;
	view_unref(adaptive_pass(s));
	exec.image++;
	exec.pss_kib = 999;
	adaptive_add(s, &exec, 1);
	adaptive_add(s, &born, 0);
	tree_remove(&s->tree, "11");
	view = adaptive_pass(s);
	assert_int_equal(s->opened[OPENED_ROLLUP].count, 2);
	assert_int_equal(adaptive_row(view, 12)->q[PROCESS_PSS], 999 * 1024);
	assert_int_equal(adaptive_row(view, 12)->source, SOURCE_ROLLUP);
	assert_int_equal(adaptive_row(view, 20)->q[PROCESS_PSS], 300 * 1024);
	assert_null(view_find_process(view, 11));
	assert_int_equal(view_host(view)->q[SCOPE_PSS], (999 + 2001 + 300 + 64004) * 1024);
	/*
	 * The memory of the former image counts as being freed, because the kernel may still be
	 * freeing it. That of a process that is no longer listed is free.
	 */
	assert_int_equal(s->pass->adaptive.host_check.left, adaptive_cast[3].rss_kib * 1024);
}

/*
 * If the budget is too small for the passes alone, the image says so before anything was planned.
 */
static void reports_a_small_budget_at_once(void **state)
{
	struct pass_options poor = run_adaptive;
	AUTO_ADAPTIVE struct adaptive *s = NULL;
	AUTO_VIEW struct view *view = NULL;

	(void)state;
	poor.budget_cpu_ppm = 1;
	s = adaptive_new(&poor);
	view = adaptive_pass(s);
	assert_true(metric_real(view_self(view)->q[SELF_BUDGET_NEEDED]) > 0.000001);
	assert_true(view_self(view)->q[SELF_PERIOD] > poor.interval_ns);
	assert_int_equal(view_self(view)->q[SELF_PERIOD], view->header->interval_ns);
}

/*
 * Figures of adaptive passes are in the image of an adaptive pass, and not in that of an exact one.
 */
static void publishes_figures_of_adaptive_passes(void **state)
{
	AUTO_ADAPTIVE struct adaptive *s = adaptive_new(&run_adaptive);
	struct pass_options exact = run_adaptive;
	struct tree_process p = adaptive_cast[4];
	const struct snapshot_self *self;
	AUTO_VIEW struct view *view = NULL;

	(void)state;
	view = adaptive_pass(s);
	assert_int_equal(view_host(view)->q[SCOPE_PSS_MEASURED], ADAPTIVE_PSS_KIB * 1024);
	assert_false(ROW_HAS(view_self(view), SELF_BUDGET_NEEDED)); /* nothing was planned yet */
	adaptive_plan(s, 1);
	view_unref(adaptive_pass(s));
	p.rss_kib += 40000;
	adaptive_add(s, &p, 0);
	adaptive_again(s, &view);
	self = view_self(view);
	assert_int_equal(self->q[SELF_MEASUREMENTS_WHOLE], 5);
	assert_int_equal(self->q[SELF_MEASUREMENTS_SLICED], 0);
	assert_int_equal(self->q[SELF_READ_ESTIMATE], 3);
	assert_int_equal(self->q[SELF_READ_ROLLUP], 1);
	assert_true(self->q[SELF_MEASUREMENT_CPU] > 0);
	assert_true(self->q[SELF_MEASUREMENT_CPU_EXPECTED] > 0);
	assert_true(metric_real(self->q[SELF_BUDGET_CPU]) == 1.0);
	assert_true(metric_real(self->q[SELF_BUDGET_NEEDED]) > 0);
	assert_true(self->q[SELF_BUDGET_AVAILABLE] > 0);
	assert_true(self->q[SELF_OLDEST_AGE] > 0 && self->q[SELF_OLDEST_AGE] < 60 * NS_PER_SEC);
	assert_int_equal(view_histogram(view, 1)->id, HISTOGRAM_ESTIMATE_ERROR);
	/* the error of the estimate that the measurement replaced */
	assert_int_equal(view_histogram(view, 1)->count, 1);
	assert_int_equal(view_histogram(view, 2)->id, HISTOGRAM_HOLD);
	assert_int_equal(view_histogram(view, 2)->count, 5);
	assert_int_equal(self->q[SELF_BUDGET_STALL], 20 * NS_PER_MSEC);
	assert_int_equal(view_host(view)->q[SCOPE_PSS_MEASURED], 64004 * 1024);
	/*
	 * The outcome of each process says whether it was measured, and each process counts once.
	 */
	assert_int_equal(self->q[SELF_OUTCOME_FIRST + OUTCOME_MEASURED], 1);
	assert_int_equal(self->q[SELF_OUTCOME_ESTIMATED] + self->q[SELF_OUTCOME_GUESSED],
		self->q[SELF_READ_ESTIMATE]);
	assert_int_equal(self->q[SELF_INTERVAL], 10 * NS_PER_SEC);
	exact.is_adaptive = false;
	pass_set_options(s->pass, &exact);
	adaptive_again(s, &view);
	for (unsigned int i = SELF_MEASUREMENTS_WHOLE; i <= SELF_WALKS_DISTURB; i++)
		assert_false(ROW_HAS(view_self(view), i));
	assert_int_equal(view->section[SECTION_HISTOGRAMS].count, 2);
	assert_int_equal(view_histogram(view, 1)->id, HISTOGRAM_HOLD);
	assert_int_equal(view_host(view)->q[SCOPE_PSS_MEASURED], view_host(view)->q[SCOPE_PSS]);
}

/*
 * New options that come in the middle of a pass take effect in the next one, because the sums of
 * this one are half done.
 */
static void limits_change_between_passes(void **state)
{
	AUTO_ADAPTIVE struct adaptive *s = adaptive_new(&run_adaptive);
	struct pass_options other = run_adaptive;
	const struct adaptive_pass *a = &s->pass->adaptive;
	uint64_t sum;

	(void)state;
	other.max_age_ns = 600 * NS_PER_SEC;
	view_unref(adaptive_pass(s));
	assert_int_equal(pass_begin(s->pass), 0);
	while (s->pass->phase != PHASE_HOST_CHECK || s->pass->at < 2)
		assert_int_equal(pass_step(s->pass, 0), PASS_MORE);
	sum = a->host_check.drift.anon.sum + a->host_check.drift.anon.unread;
	assert_true(sum > 0);
	pass_set_options(s->pass, &other);
	assert_int_equal(a->host_check.drift.anon.sum + a->host_check.drift.anon.unread, sum);
	assert_int_equal(a->limits.max_age_ns, run_adaptive.max_age_ns);
	view_unref(adaptive_pass(s));
	assert_int_equal(a->limits.max_age_ns, other.max_age_ns);
	assert_int_equal(a->host_check.drift.max_age_ns, other.max_age_ns);
}

/* Swapping moves counters that statm does not show, so passes read status while the host swaps. */
static void refreshes_when_the_host_swaps(void **state)
{
	AUTO_ADAPTIVE struct adaptive *s = adaptive_new(&run_adaptive);
	AUTO_VIEW struct view *view = NULL;
	struct tree_process p = adaptive_cast[3];

	(void)state;
	view_unref(adaptive_pass(s));
	view_unref(adaptive_pass(s));
	assert_int_equal(adaptive_looks(s), 0);
	p.swap_kib = 77;
	adaptive_add(s, &p, 0);
	/* A few swapped pages are ignored until they add up to one MiB. */
	tree_write(&s->tree, "vmstat", "pswpin 105\npswpout 107\nnr_zspages 5000\n");
	view_unref(adaptive_pass(s));
	assert_int_equal(adaptive_looks(s), 0);
	tree_write(&s->tree, "vmstat", "pswpin 105\npswpout 163\n");
	view = adaptive_pass(s);
	assert_int_equal(adaptive_looks(s), 4);
	/*
	 * No figure has changed, so the images are the same. Only vmstat shows the swapping; it is
	 * read at the start and the end of a pass.
	 */
	assert_int_equal(s->opened[OPENED_STAT].count, 2);
	assert_int_equal(adaptive_row(view, 12)->q[PROCESS_VM_SWAP], 77 * 1024);
	view_unref(adaptive_pass(s));
	assert_int_equal(adaptive_looks(s), 0);
}

/* Swapping before the first readable vmstat does not count for the time between two passes. */
static void counts_swapping_since_the_last_pass(void **state)
{
	AUTO_ADAPTIVE struct adaptive *s = adaptive_new(&run_adaptive);

	(void)state;
	tree_remove(&s->tree, "vmstat");
	view_unref(adaptive_pass(s));
	view_unref(adaptive_pass(s));
	tree_write(&s->tree, "vmstat", "pswpin 100000\npswpout 100000\n");
	view_unref(adaptive_pass(s));
	assert_int_equal(adaptive_looks(s), 0);
	/* a counter that is missing does not count either */
	tree_write(&s->tree, "vmstat", "pswpin 100000\n");
	view_unref(adaptive_pass(s));
	tree_write(&s->tree, "vmstat", "pswpin 100128\npswpout 200000\n");
	view_unref(adaptive_pass(s));
	assert_int_equal(adaptive_looks(s), 0);
	tree_write(&s->tree, "vmstat", "pswpin 100128\npswpout 200128\n");
	view_unref(adaptive_pass(s));
	assert_int_equal(adaptive_looks(s), 4);
}

static void write_kills(struct adaptive *s, unsigned int kills)
{
	char text[64];

	snprintf(text, sizeof(text), "pswpin 5\npswpout 7\noom_kill %u\n", kills);
	tree_write(&s->tree, "vmstat", text);
}

/* Returns whether the next pass reads all cgroups, after the kernel has killed KILLS processes. */
static bool reads_all_cgroups(struct adaptive *s, unsigned int kills)
{
	write_kills(s, kills);
	view_unref(adaptive_pass(s));
	return s->pass->charges.spare_ns == UINT64_MAX;
}

/* A kill is found in its cgroup by the next pass, but not more often than twice a minute. */
static void an_oom_kill_is_found_at_once(void **state)
{
	AUTO_ADAPTIVE struct adaptive *s = adaptive_new(&run_adaptive);

	(void)state;
	view_unref(adaptive_pass(s));
	assert_false(reads_all_cgroups(s, 3)); /* before that kills were not counted */
	assert_false(reads_all_cgroups(s, 3));
	assert_true(reads_all_cgroups(s, 4));
	assert_false(reads_all_cgroups(s, 4));
	assert_false(reads_all_cgroups(s, 5)); /* too soon */
	nanosleep(&(struct timespec){.tv_sec = 30}, NULL);
	assert_false(reads_all_cgroups(s, 5));
	assert_true(reads_all_cgroups(s, 6));
}

/* Between passes a kill since the last one is seen, until the next one begins. */
static void an_oom_kill_is_seen_between_passes(void **state)
{
	AUTO_ADAPTIVE struct adaptive *s = adaptive_new(&run_adaptive);

	(void)state;
	write_kills(s, 3);
	assert_false(pass_sees_kill(s->pass)); /* the count of the first pass is not known yet */
	view_unref(adaptive_pass(s));
	assert_false(pass_sees_kill(s->pass));
	write_kills(s, 4);
	assert_true(pass_sees_kill(s->pass));
	assert_true(pass_sees_kill(s->pass));
	view_unref(adaptive_pass(s));
	assert_false(pass_sees_kill(s->pass));
	tree_write(&s->tree, "vmstat", "pswpin 5\n");
	assert_false(pass_sees_kill(s->pass));
}

static void changes_to_exact_and_back(void **state)
{
	AUTO_ADAPTIVE struct adaptive *s = adaptive_new(&run_adaptive);
	struct pass_options exact = run_adaptive;

	(void)state;
	view_unref(adaptive_pass(s));
	exact.is_adaptive = false;
	pass_set_options(s->pass, &exact);
	for (unsigned int pass = 0; pass < 2; pass++) {
		AUTO_VIEW struct view *view = adaptive_pass(s);

		assert_int_equal(s->opened[OPENED_ROLLUP].count, 4);
		assert_int_equal(s->opened[OPENED_STATM].count, 0);
		assert_int_equal(adaptive_row(view, 12)->source, SOURCE_ROLLUP);
		pass_plan(s->pass, UINT64_MAX);
		assert_int_equal(pass_next_measure_ns(s->pass, 0), UINT64_MAX);
	}
	/* Processes that were born before the exact passes are not taken for new. */
	assert_int_equal(s->pass->adaptive.begin_ns, 0);
	pass_set_options(s->pass, &run_adaptive);
	for (unsigned int pass = 0; pass < 3; pass++) {
		AUTO_VIEW struct view *view = adaptive_pass(s);

		adaptive_assert_quiet(adaptive_row(view, 12), &adaptive_cast[3]);
		assert_int_equal(s->opened[OPENED_ROLLUP].count, pass ? 0 : 4);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(measures_once_and_then_polls),
		cmocka_unit_test(refreshes_after_walks_that_differ),
		cmocka_unit_test(carries_changes_forward),
		cmocka_unit_test(measures_new_images_at_once),
		cmocka_unit_test(publishes_figures_of_adaptive_passes),
		cmocka_unit_test(reports_a_small_budget_at_once),
		cmocka_unit_test(limits_change_between_passes),
		cmocka_unit_test(refreshes_when_the_host_swaps),
		cmocka_unit_test(counts_swapping_since_the_last_pass),
		cmocka_unit_test(an_oom_kill_is_found_at_once),
		cmocka_unit_test(an_oom_kill_is_seen_between_passes),
		cmocka_unit_test(changes_to_exact_and_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
