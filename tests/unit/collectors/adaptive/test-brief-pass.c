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
	AUTO_CLOSE int fd = -1;
	struct view *view;

	tree_expect(s->opened, OPENED_FILES);
	assert_true(pass_may_be_brief(s->pass));
	assert_int_equal(run_try_brief(s->pass, &fd), 0);
	view = run_view(fd);
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
	/* Others may share more or less of its pages since it was measured. */
	row = adaptive_row(view, 12);
	assert_int_equal(row->q[PROCESS_PSS], 1503 * 1024);
	assert_int_equal(row->q[PROCESS_PSS_LOW], 1503 * 1024 - (1503 - 1100) * 1024 / 2);
	assert_int_equal(row->q[PROCESS_PSS_HIGH], (1503 + (1503 - 1100)) * 1024);
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

/* An exec moves the size of the address space: the process is read, and its measurement is void. */
static void sees_an_exec(void **state)
{
	AUTO_ADAPTIVE struct adaptive *s = adaptive_new(&run_adaptive);
	AUTO_VIEW struct view *view = NULL;
	struct tree_process other = adaptive_cast[3];
	const struct snapshot_process *row;

	(void)state;
	settle(s);
	other.image = 77;
	other.name = "vim";
	other.rss_kib = 6000;
	adaptive_add(s, &other, 0);
	view = brief(s);
	row = adaptive_row(view, 12);
	assert_string_equal(view_owner(view, row, OWNER_PROGRAM), "vim");
	assert_int_equal(row->q[PROCESS_RSS], 6000 * 1024);
	assert_false(ROW_HAS(row, PROCESS_PSS_AGE));
	assert_int_equal(s->opened[OPENED_ROLLUP].count, 0);
}

/* It may also leave the size as it was. Then the other counters move far. */
static void sees_an_exec_of_the_same_size(void **state)
{
	AUTO_ADAPTIVE struct adaptive *s = adaptive_new(&run_adaptive);
	AUTO_VIEW struct view *view = NULL;
	struct tree_process other = adaptive_cast[3];

	(void)state;
	settle(s);
	other.image = 77;
	other.name = "vim";
	tree_add(&s->tree, &other);
	tree_write(&s->tree, "12/statm", "5000 500 400 0 0 0 0\n");
	view = brief(s);
	assert_string_equal(view_owner(view, adaptive_row(view, 12), OWNER_PROGRAM), "vim");
	assert_false(ROW_HAS(adaptive_row(view, 12), PROCESS_PSS_AGE));
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

#define SOME(average) "some avg10=" average " avg60=0.00 avg300=0.00 total=5\n"

static bool is_short(struct adaptive *s)
{
	struct pass_summary summary;

	view_unref(full(s));
	pass_summary(s->pass, &summary);
	return summary.is_short;
}

/* If the kernel sends no signal, passes tell when brief ones are needed. */
static void a_pass_tells_that_the_host_is_short(void **state)
{
	AUTO_ADAPTIVE struct adaptive *s = adaptive_new(&run_adaptive);

	(void)state;
	tree_write(&s->tree, "meminfo", "MemTotal: 3200 kB\nMemAvailable: 100 kB\n");
	assert_false(is_short(s));
	tree_write(&s->tree, "meminfo", "MemTotal: 3200 kB\nMemAvailable: 99 kB\n");
	assert_true(is_short(s));
	/* If the kernel accounts pressure, only that counts. */
	tree_write(&s->tree, "pressure/memory", SOME("9.00"));
	assert_false(is_short(s));
	tree_write(&s->tree, "pressure/memory", SOME("11.00"));
	assert_true(is_short(s));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_statm_alone),
		cmocka_unit_test(keeps_the_interval),
		cmocka_unit_test(counts_no_growth),
		cmocka_unit_test(sees_births_and_exits),
		cmocka_unit_test(sees_an_exec),
		cmocka_unit_test(sees_an_exec_of_the_same_size),
		cmocka_unit_test(series_stay),
		cmocka_unit_test(needs_a_full_pass_before),
		cmocka_unit_test(a_pass_tells_that_the_host_is_short),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
