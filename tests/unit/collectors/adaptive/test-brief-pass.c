/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests brief passes over a simulated /proc: what they read and show, and that full passes go on as if
 * there had been none.
 */
#include "config.h"

#include "tests/unit/support/unit.h"

#include "base/clock.h"
#include "tests/unit/support/tree/adaptive.h"
#include "tests/unit/support/tree/run.h"

enum { MORE_PAGES = 1000, MORE_KIB = MORE_PAGES * 4 };

static struct view *full(struct adaptive *s)
{
	struct view *view = adaptive_pass(s);

	adaptive_plan(s, 10);
	return view;
}

static struct view *brief(struct adaptive *s)
{
	int fd = -1, public_fd = -1;
	struct view *view;

	tree_expect(s->opened, OPENED_FILES);
	assert_true(pass_may_be_brief(s->pass));
	assert_int_equal(pass_begin_brief(s->pass), 0);
	assert_int_equal(run_steps(s->pass), 0);
	assert_int_equal(pass_publish(s->pass, false, &fd, &public_fd), 0);
	view = run_view(fd);
	fd_close(fd);
	adaptive_plan(s, 5);
	return view;
}

/* Makes the passes after which all processes are known and quiet. */
static void settle(struct adaptive *s)
{
	for (int i = 0; i < 3; i++)
		view_unref(full(s));
}

static const struct snapshot_scope *find_user(const struct view *view, uint32_t uid)
{
	for (uint32_t i = 0; i < view_count(view, METRIC_USER); i++)
		if (view_scope(view, METRIC_USER, i)->id == uid)
			return view_scope(view, METRIC_USER, i);
	return NULL;
}

static void reads_statm_alone(void **state)
{
	AUTO_ADAPTIVE struct adaptive *s = adaptive_new(&run_adaptive);
	AUTO_VIEW struct view *before = NULL, *view = NULL, *after = NULL;
	const struct snapshot_process *row;

	(void)state;
	settle(s);
	before = full(s);
	assert_false(view_is_brief(before));
	adaptive_add(s, &adaptive_cast[4], MORE_PAGES);
	view = brief(s);
	assert_true(view_is_brief(view));
	assert_int_equal(view->header->sequence, before->header->sequence + 1);
	assert_int_equal(view_count(view, METRIC_PROCESS), 4);
	assert_int_equal(s->opened[OPENED_ROLLUP].count, 0);
	assert_int_equal(s->opened[OPENED_CGROUP].count, 0);
	assert_int_equal(adaptive_looks(s), 0);
	row = adaptive_row(view, 13);
	assert_int_equal(row->q[PROCESS_RSS], (70000 + MORE_KIB) * 1024);
	assert_int_equal(row->q[PROCESS_PSS], (64004 + MORE_KIB) * 1024);
	assert_int_equal(row->source, SOURCE_ESTIMATE);
	adaptive_assert_quiet(adaptive_row(view, 12), &adaptive_cast[3]);
	assert_int_equal(find_user(view, 1001)->q[SCOPE_PSS],
		find_user(before, 1001)->q[SCOPE_PSS] + MORE_KIB * 1024);
	/* Nothing moves until the next full pass. It reads the process anew. */
	view_unref(brief(s));
	assert_int_equal(adaptive_looks(s), 0);
	after = full(s);
	assert_int_equal(adaptive_looks(s), 1);
	assert_false(view_is_brief(after));
	view_unref(full(s));
	assert_int_equal(adaptive_looks(s), 0);
}

/* Readers rely on these: a snapshot of a brief pass becomes stale as late as any other. */
static void keeps_the_interval(void **state)
{
	AUTO_ADAPTIVE struct adaptive *s = adaptive_new(&run_adaptive);
	AUTO_VIEW struct view *view = NULL;
	uint64_t needed_ppm, expected_ns, interval_ns;

	(void)state;
	settle(s);
	expected_ns = s->pass->adaptive.budget.sensing_ns;
	interval_ns = pass_interval_ns(s->pass, &needed_ppm);
	for (int i = 0; i < 10; i++)
		view_unref(brief(s));
	view = brief(s);
	assert_int_equal(view->header->interval_ns, 10 * NS_PER_SEC);
	assert_int_equal(view->header->stale_ns, view->header->boottime_ns + 30 * NS_PER_SEC);
	assert_int_equal(pass_interval_ns(s->pass, &needed_ppm), interval_ns);
	assert_int_equal(s->pass->adaptive.budget.sensing_ns, expected_ns);
}

/* Only full passes find growth: VmSwap, a part of it, is not read. */
static void counts_no_growth(void **state)
{
	AUTO_ADAPTIVE struct adaptive *s = adaptive_new(&run_adaptive);
	AUTO_VIEW struct view *view = NULL;
	struct tree_process grown = adaptive_cast[4];
	const struct snapshot_process *row;

	(void)state;
	settle(s);
	adaptive_add(s, &grown, MORE_PAGES);
	view = brief(s);
	row = adaptive_row(view, 13);
	assert_int_equal(row->q[PROCESS_VM_HWM], (70000 + MORE_KIB) * 1024);
	assert_int_equal(row->q[PROCESS_VM_HWM_GROWTH], 0);
	assert_int_equal(find_user(view, 1001)->q[SCOPE_VM_HWM_GROWTH], 0);
	grown.rss_kib += MORE_KIB;
	grown.uss_kib += MORE_KIB;
	adaptive_add(s, &grown, 0);
	view_unref(view);
	view = full(s);
	assert_int_equal(adaptive_row(view, 13)->q[PROCESS_VM_HWM_GROWTH], MORE_KIB * 1024);
	assert_int_equal(find_user(view, 1001)->q[SCOPE_VM_HWM_GROWTH], MORE_KIB * 1024);
}

/* A new process is read, since it may be the one that takes the memory. */
static void sees_births_and_exits(void **state)
{
	AUTO_ADAPTIVE struct adaptive *s = adaptive_new(&run_adaptive);
	AUTO_VIEW struct view *view = NULL;
	struct tree_process born = adaptive_worker;

	(void)state;
	settle(s);
	born.uid = 1005;
	adaptive_add(s, &born, 0);
	tree_remove(&s->tree, "12");
	view = brief(s);
	assert_int_equal(view_count(view, METRIC_PROCESS), 4);
	assert_null(view_find_process(view, 12));
	assert_int_equal(
		adaptive_row(view, (uint32_t)born.pid)->q[PROCESS_RSS], born.rss_kib * 1024);
	assert_int_equal(find_user(view, 1005)->q[SCOPE_PROCESSES], 1);
	assert_int_equal(adaptive_looks(s), 1);
	assert_int_equal(s->opened[OPENED_ROLLUP].count, 0);
	/* Nothing is measured before the next full pass, which measures it. */
	assert_int_equal(pass_next_measure_ns(s->pass, clock_now_ns(CLOCK_MONOTONIC)), UINT64_MAX);
	view_unref(full(s));
	assert_true(s->opened[OPENED_ROLLUP].count);
}

/* Ranks count full passes: an owner does not lose its series within seconds. */
static void series_stay(void **state)
{
	struct pass_options few = run_adaptive;
	AUTO_ADAPTIVE struct adaptive *s = NULL;
	AUTO_VIEW struct view *view = NULL;

	(void)state;
	few.export_owners[OWNER_USER] = 1;
	s = adaptive_new(&few);
	settle(s);
	adaptive_add(s, &adaptive_cast[3], 50000); /* user 1000 becomes the largest */
	for (int i = 0; i < 10; i++) {
		view_unref(view);
		view = brief(s);
	}
	assert_true(find_user(view, 1001)->flags & SCOPE_EXPORTED);
	assert_false(find_user(view, 1000)->flags & SCOPE_EXPORTED);
	view_unref(view);
	view = full(s);
	assert_true(find_user(view, 1000)->flags & SCOPE_EXPORTED);
}

/* There is nothing that a brief pass could carry forward. */
static void needs_a_full_pass_before(void **state)
{
	AUTO_ADAPTIVE struct adaptive *s = adaptive_new(&run_adaptive);
	struct pass_options exact = run_adaptive;

	(void)state;
	assert_false(pass_may_be_brief(s->pass));
	view_unref(adaptive_pass(s));
	adaptive_plan(s, 10);
	assert_true(pass_may_be_brief(s->pass));
	exact.is_adaptive = false;
	pass_set_options(s->pass, &exact);
	assert_false(pass_may_be_brief(s->pass));
	view_unref(full(s));
	pass_set_options(s->pass, &run_adaptive);
	assert_false(pass_may_be_brief(s->pass));
	view_unref(full(s));
	assert_true(pass_may_be_brief(s->pass));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_statm_alone),
		cmocka_unit_test(keeps_the_interval),
		cmocka_unit_test(counts_no_growth),
		cmocka_unit_test(sees_births_and_exits),
		cmocka_unit_test(series_stay),
		cmocka_unit_test(needs_a_full_pass_before),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
