/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests of collectors/adaptive/page-walks.h: how processes are walked, in one piece or in slices,
 * and what that costs.
 */
#include "config.h"

#include "tests/unit/support/unit.h"

#include <stdio.h>
#include <sys/wait.h>

#include "base/clock.h"
#include "collectors/adaptive/page-walks.h"
#include "tests/unit/support/tree/adaptive.h"
#include "tests/unit/support/tree/run.h"
#include "tests/unit/support/tree/tree.h"

#define PAGE UINT64_C(4096)
#define GIB  (UINT64_C(1) << 30)

struct scene {
	struct tree tree;
	struct procfs procfs;
	struct process_reader reader;
	struct cpu_budget budget;
	struct page_walks walks;
	struct process process[PAGE_WALKS_AT_ONCE + 1];
	struct tracked tracked[PAGE_WALKS_AT_ONCE + 1];
	struct sample sample;
	struct page_walk_result walked;
};

static struct scene *scene_new(void)
{
	static const char maps[] = "1000-2000 rw-p 00000000 00:00 0 \n";
	struct scene *s = calloc(1, sizeof(*s));
	char path[32];

	assert_non_null(s);
	tree_open(&s->tree);
	s->procfs = (struct procfs){.fd = s->tree.fd, .ns_per_tick = 10000000};
	s->reader.procfs = &s->procfs;
	s->reader.kept_max = 10;
	cpu_budget_init(&s->budget, CPU_BUDGET_PPM_MAX, clock_now_ns(CLOCK_MONOTONIC));
	page_walks_init(&s->walks, &s->reader, &s->budget, PAGE);
	s->walks.stall_ns = 20 * NS_PER_MSEC;
	for (int i = 0; i <= PAGE_WALKS_AT_ONCE; i++) {
		struct tree_process p = {.pid = 10 + i,
			.name = "worker",
			.image = (uint64_t)i + 1,
			.rss_kib = 400,
			.pss_kib = 300,
			.uss_kib = 200};

		tree_add(&s->tree, &p);
		tree_add_smaps(&s->tree, &p);
		snprintf(path, sizeof(path), "%d/maps", p.pid);
		tree_write(&s->tree, path, maps);
		tree_set_faults(&s->tree, p.pid, 1000);
		process_init(&s->process[i], p.pid);
		s->process[i].tracked = &s->tracked[i];
		s->tracked[i].seen.resident = GIB / PAGE;
		assert_int_equal(process_look(&s->reader, &s->process[i], 1, &s->sample), 0);
	}
	return s;
}

static void scene_done(struct scene **s)
{
	page_walks_done(&(*s)->walks);
	for (int i = 0; i <= PAGE_WALKS_AT_ONCE; i++)
		process_done(&(*s)->process[i]);
	process_reader_done(&(*s)->reader);
	tree_done(&(*s)->tree);
	free(*s);
}
#define AUTO_SCENE CLEANUP(scene_done)

/*
 * A short walk is made in one piece, a longer one in slices, and one that slices cannot help in
 * one piece again.
 */
static void chooses_how_to_walk(void **state)
{
	static const struct {
		uint64_t rss, largest_kib, stall_ms;
		enum walk_cost_way way;
		bool is_giant;
	} cases[] = {
		{GIB, 0, 20, WALK_COST_ROLLUP, false},
		{GIB, 0, 10, WALK_COST_SLICES, false},
		{2 * GIB, 0, 20, WALK_COST_SLICES, false},
		{64 * GIB, 0, 20, WALK_COST_SLICES, false}, /* still unknown */
		{64 * GIB, 1 << 20, 20, WALK_COST_SLICES, false},
		{64 * GIB, 60 << 20, 20, WALK_COST_ROLLUP, true},
		{GIB, 1 << 18, 2, WALK_COST_SLICES, false},
		{GIB, 280 << 10, 2, WALK_COST_ROLLUP, true}, /* at the end of a slice */
		{GIB, 1 << 18, 1, WALK_COST_ROLLUP, true},
	};
	AUTO_SCENE struct scene *s = scene_new();

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct tracked w = {.seen = {.resident = cases[i].rss / PAGE},
			.largest_kib = (uint32_t)cases[i].largest_kib,
			.mapped_kib = (uint32_t)(cases[i].rss >> 10)};
		struct page_walk_forecast f;

		s->walks.stall_ns = cases[i].stall_ms * NS_PER_MSEC;
		f = page_walks_forecast(&s->walks, &w);
		if (f.way != cases[i].way || f.is_giant != cases[i].is_giant)
			fail_msg("case %zu: way %d, giant %d", i, f.way, f.is_giant);
		assert_true(f.is_giant == (f.prediction.hold_ns > s->walks.stall_ns));
	}
}

static void walks_in_one_piece_are_charged(void **state)
{
	AUTO_SCENE struct scene *s = scene_new();
	struct page_walk_forecast f = {.prediction.cpu_ns = 7};

	(void)state;
	assert_int_equal(
		page_walks_whole(&s->walks, &s->process[0], &f, 1, &s->sample, &s->walked), 0);
	assert_int_equal(s->sample.q[PROCESS_PSS], 300 * 1024);
	assert_int_equal(s->walks.counts.reads[WALK_COST_ROLLUP], 1);
	assert_int_equal(s->walks.counts.predicted_ns, 7);
	assert_true(s->walked.cpu_ns > 0);
	assert_true(s->walks.counts.used_ns > s->walked.cpu_ns); /* faults were read too */
	assert_int_equal(s->budget.charged_ns, s->walks.counts.used_ns);
	page_walks_learn(&s->walks, &s->process[0], &s->sample, &s->walked);
	assert_int_equal(s->tracked[0].by_slices, false);
	assert_true(s->walks.model[WALK_COST_ROLLUP].reads > 0);
}

/*
 * Pages written during a walk are not in its result, so the fault counter must be read before it.
 */
static void reads_fault_counters_first(void **state)
{
	AUTO_SCENE struct scene *s = scene_new();
	struct page_walk_forecast whole = {.way = WALK_COST_ROLLUP}, f = {.way = WALK_COST_SLICES};
	struct process *p;

	(void)state;
	assert_int_equal(
		page_walks_begin_slices(&s->walks, &s->process[0], &f, 1, &s->sample, &s->walked),
		PAGE_WALKS_LOOKED);
	s->walks.slice_ns = 0;
	while (!s->walks.walk[0].result.has_faults)
		assert_int_equal(page_walks_step(&s->walks, false, 1, &s->sample, &p, &s->walked),
			PAGE_WALKS_MORE);
	assert_int_equal(s->walks.under_way, 1);
	tree_set_faults(&s->tree, 10, 2000);
	while (s->walks.under_way)
		assert_true(page_walks_step(&s->walks, false, 1, &s->sample, &p, &s->walked) >= 0);
	assert_int_equal(s->sample.outcome, OUTCOME_MEASURED);
	assert_true(s->walked.has_faults);
	assert_int_equal(s->walked.faults, 1000);

	assert_int_equal(
		page_walks_whole(&s->walks, &s->process[0], &whole, 1, &s->sample, &s->walked), 0);
	assert_true(s->walked.has_faults);
	assert_int_equal(s->walked.faults, 2000);
	s->tracked[0].seen = (struct statm){.resident = GIB / PAGE, .shared = GIB / PAGE};
	assert_int_equal(
		page_walks_whole(&s->walks, &s->process[0], &whole, 1, &s->sample, &s->walked), 0);
	assert_false(s->walked.has_faults);
}

static bool reads_faults(struct scene *s)
{
	const struct page_walk_forecast whole = {.way = WALK_COST_ROLLUP};

	assert_int_equal(
		page_walks_whole(&s->walks, &s->process[0], &whole, 1, &s->sample, &s->walked), 0);
	return s->walked.has_faults;
}

/*
 * The fault counter of a process that shares too little for its writes to matter is not read,
 * unless something happened.
 */
static void skips_fault_counters_that_do_not_matter(void **state)
{
	AUTO_SCENE struct scene *s = scene_new();
	struct tracked *w = &s->tracked[0];
	struct estimate_doubt doubt = {.anon_up = 1};

	(void)state;
	w->base = (struct estimate_base){.anon = GIB};
	assert_true(reads_faults(s)); /* never measured */
	w->has_base = true;
	assert_false(reads_faults(s));
	w->watch = TRACKED_COUNTED;
	assert_true(reads_faults(s));
	w->watch = TRACKED_UNCOUNTED;
	w->doubt = &doubt;
	assert_true(reads_faults(s));
	w->doubt = NULL;
	w->seen.resident++;
	assert_true(reads_faults(s));
}

/* During a walk in slices processes may fork and write, so all fault counters are read before. */
static void reads_fault_counters_before_all_slices(void **state)
{
	AUTO_SCENE struct scene *s = scene_new();
	struct page_walk_forecast f = {.way = WALK_COST_SLICES};
	struct tracked *w = &s->tracked[0];
	struct process *p;

	(void)state;
	w->base = (struct estimate_base){.anon = GIB};
	w->has_base = true;
	assert_false(reads_faults(s));
	assert_int_equal(
		page_walks_begin_slices(&s->walks, &s->process[0], &f, 1, &s->sample, &s->walked),
		PAGE_WALKS_LOOKED);
	s->walks.slice_ns = 0;
	while (s->walks.under_way)
		assert_true(page_walks_step(&s->walks, false, 1, &s->sample, &p, &s->walked) >= 0);
	assert_int_equal(s->sample.outcome, OUTCOME_MEASURED);
	assert_true(s->walked.has_faults);
	assert_int_equal(s->walked.faults, 1000);
}

static void walks_take_turns_by_slices(void **state)
{
	AUTO_SCENE struct scene *s = scene_new();
	struct process *order[PAGE_WALKS_AT_ONCE], *p;
	struct page_walk_forecast f = {.way = WALK_COST_SLICES};
	uint64_t now_ns = clock_now_ns(CLOCK_MONOTONIC), used_ns;
	unsigned int ended = 0;
	int r;

	(void)state;
	assert_int_equal(page_walks_next_ns(&s->walks, false), UINT64_MAX);
	for (size_t i = 0; i < PAGE_WALKS_AT_ONCE; i++) {
		assert_true(page_walks_have_room(&s->walks));
		assert_false(page_walks_has(&s->walks, &s->process[i]));
		assert_int_equal(page_walks_begin_slices(
					 &s->walks, &s->process[i], &f, 1, &s->sample, &s->walked),
			PAGE_WALKS_LOOKED);
		assert_true(page_walks_has(&s->walks, &s->process[i]));
	}
	assert_false(page_walks_have_room(&s->walks));
	assert_false(page_walks_has(&s->walks, &s->process[PAGE_WALKS_AT_ONCE]));

	/* No further walk starts; when one ends there is room for another. */
	page_walks_forget(&s->walks, &s->process[1]);
	page_walks_forget(&s->walks, &s->process[1]);
	assert_int_equal(s->walks.counts.discarded, 1);
	assert_true(page_walks_have_room(&s->walks));

	s->walks.slice_ns = 0;
	used_ns = s->walks.counts.used_ns;
	assert_int_equal(
		page_walks_step(&s->walks, false, 1, &s->sample, &p, &s->walked), PAGE_WALKS_MORE);
	assert_true(s->walks.counts.used_ns > used_ns);
	assert_true(
		page_walks_next_ns(&s->walks, false) < now_ns); /* another one has not paused yet */
	while (s->walks.under_way) {
		used_ns = s->walks.counts.used_ns;
		r = page_walks_step(&s->walks, false, 1, &s->sample, &p, &s->walked);
		assert_true(r == 0 || r == PAGE_WALKS_MORE);
		assert_true(s->walks.counts.used_ns > used_ns);
		if (r != 0) {
			continue;
		}
		order[ended++] = p;
		assert_int_equal(s->sample.q[PROCESS_PSS], 300 * 1024);
		assert_true(s->walked.largest_rss > 0);
		assert_false(page_walks_has(&s->walks, p));
	}
	assert_int_equal(ended, 3);
	assert_ptr_equal(order[0], &s->process[0]);
	assert_ptr_equal(order[1], &s->process[2]);
	assert_int_equal(s->walks.counts.reads[WALK_COST_SLICES], 3);
	assert_int_equal(s->budget.charged_ns, s->walks.counts.used_ns);
	assert_true(s->walks.counts.slices >= 9); /* maps, its end, smaps */
}

/* A mapping that would take too long is found before smaps is read. */
static void gives_up_on_giants(void **state)
{
	AUTO_SCENE struct scene *s = scene_new();
	struct page_walk_forecast f = {.way = WALK_COST_SLICES};
	struct process *p;
	int r;

	(void)state;
	tree_write(&s->tree, "10/maps", "1000-2000001000 rw-p 00000000 00:00 0 \n");
	s->tracked[0].seen.resident = 128 * GIB / PAGE;
	assert_int_equal(
		page_walks_begin_slices(&s->walks, &s->process[0], &f, 1, &s->sample, &s->walked),
		PAGE_WALKS_LOOKED);
	do /* on a busy host a slice may end before the first mapping does */
		r = page_walks_step(&s->walks, false, 1, &s->sample, &p, &s->walked);
	while (r == PAGE_WALKS_MORE);
	assert_int_equal(r, PAGE_WALKS_GIANT);
	assert_int_equal(s->walks.under_way, 0);
	assert_true(page_walks_forecast(&s->walks, &s->tracked[0]).is_giant);
	assert_int_equal(s->walks.counts.reads[WALK_COST_SLICES], 0);
	assert_int_equal(s->walks.counts.discarded, 0);
}

/* The process has exited, so the walk ends before it begins. */
static void walk_of_an_exited_process_does_not_begin(void **state)
{
	AUTO_SCENE struct scene *s = scene_new();
	struct page_walk_forecast f = {.way = WALK_COST_SLICES};

	(void)state;
	tree_remove(&s->tree, "10");
	assert_int_equal(
		page_walks_begin_slices(&s->walks, &s->process[0], &f, 1, &s->sample, &s->walked),
		0);
	assert_int_equal(s->sample.outcome, OUTCOME_GONE);
	assert_int_equal(s->walks.under_way, 0);
	assert_int_equal(s->walks.counts.discarded, 1);
}

static void slices_large_processes(void **state)
{
	AUTO_ADAPTIVE struct adaptive *s = adaptive_new(&run_adaptive);
	AUTO_VIEW struct view *view = NULL;
	struct tree_process p = adaptive_large;
	uint64_t now_ns = clock_now_ns(CLOCK_MONOTONIC);

	(void)state;
	adaptive_add(s, &p, 0);
	adaptive_add_mappings(s, &p, 32);
	view = adaptive_pass(s);
	assert_int_equal(s->opened[OPENED_ROLLUP].count,
		4); /* not this one: a walk in one piece would block it for 12 ms */
	assert_int_equal(adaptive_row(view, 50)->source, SOURCE_ESTIMATE);
	assert_false(ROW_HAS(adaptive_row(view, 50), PROCESS_PSS_AGE));
	assert_true(adaptive_turns(s) > 4);
	assert_int_equal(s->opened[OPENED_ROLLUP].count, 0);
	adaptive_again(s, &view);
	/* A tree of files has no kernel with which to find out whether slices are needed. */
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	assert_false(ROW_HAS(view_self(view), SELF_WALKS_DISTURB));
	assert_int_equal(adaptive_row(view, 50)->source, SOURCE_SMAPS);
	assert_int_equal(adaptive_row(view, 50)->q[PROCESS_PSS], (uint64_t)p.pss_kib * 1024);
	assert_int_equal(adaptive_row(view, 50)->q[PROCESS_RSS], (uint64_t)p.rss_kib * 1024);
	assert_int_equal(view_self(view)->q[SELF_MEASUREMENTS_SLICED], 1);
	assert_true(view_self(view)->q[SELF_SLICES] > 4);
	assert_int_equal(view_self(view)->q[SELF_MEASUREMENTS_DISCARDED], 0);

	/* A walk pauses in the middle and continues over passes. It ends with its process. */
	tree_remove(&s->tree, "50/smaps_rollup");
	p.rss_kib += 1 << 20;
	adaptive_add(s, &p, 0);
	adaptive_again(s, &view);
	pass_plan(s->pass, now_ns + 100 * NS_PER_SEC);
	assert_int_equal(pass_measure(s->pass), 0);
	assert_int_equal(pass_measure(s->pass), 0);
	now_ns = clock_now_ns(CLOCK_MONOTONIC);
	assert_in_range(pass_next_measure_ns(s->pass, now_ns), now_ns, now_ns + 2 * NS_PER_MSEC);
	adaptive_again(s, &view);
	pass_plan(s->pass, now_ns + 100 * NS_PER_SEC);
	assert_in_range(pass_next_measure_ns(s->pass, now_ns), now_ns, now_ns + 2 * NS_PER_MSEC);
	tree_remove(&s->tree, "50");
	adaptive_again(s, &view);
	assert_null(view_find_process(view, 50));
	assert_int_equal(view_self(view)->q[SELF_MEASUREMENTS_DISCARDED], 1);
	pass_plan(s->pass, now_ns + 100 * NS_PER_SEC);
	assert_int_equal(pass_next_measure_ns(s->pass, now_ns), UINT64_MAX);
}

/* After a pass the large process is walked next, in slices. */
static struct adaptive *begin_slices(void)
{
	struct adaptive *s = adaptive_new(&run_adaptive);

	adaptive_add(s, &adaptive_large, 0);
	adaptive_add_mappings(s, &adaptive_large, 32);
	view_unref(adaptive_pass(s));
	adaptive_plan(s, 100);
	return s;
}

/*
 * Results for a former image are discarded even if they look complete: a pass that saw the new
 * image has ended the walk.
 */
static void walk_ends_with_its_image(void **state)
{
	AUTO_ADAPTIVE struct adaptive *s = begin_slices();
	AUTO_VIEW struct view *view = NULL;
	struct tree_process p = adaptive_large;

	(void)state;
	for (unsigned int turn = 0; turn < 3; turn++)
		assert_int_equal(pass_measure(s->pass), 0);
	p.image = 51;
	p.rss_kib = p.pss_kib = p.uss_kib = 9 << 20;
	adaptive_add(s, &p, 0);
	view = adaptive_pass(s);
	assert_int_equal(view_self(view)->q[SELF_MEASUREMENTS_DISCARDED], 1);
	assert_int_equal(view_self(view)->q[SELF_MEASUREMENTS_SLICED], 0);
	adaptive_again(s, &view);
	assert_int_equal(view_self(view)->q[SELF_MEASUREMENTS_SLICED], 0);
	assert_int_equal(adaptive_row(view, 50)->source, SOURCE_ESTIMATE);
	assert_int_equal(adaptive_row(view, 50)->q[PROCESS_PSS], (uint64_t)p.rss_kib * 1024);
	assert_false(ROW_HAS(adaptive_row(view, 50), PROCESS_PSS_AGE));
	adaptive_add_mappings(s, &p, 32);
	adaptive_turns(s);
	adaptive_again(s, &view);
	assert_int_equal(view_self(view)->q[SELF_MEASUREMENTS_SLICED], 1);
	assert_int_equal(adaptive_row(view, 50)->q[PROCESS_PSS], (uint64_t)p.pss_kib * 1024);
}

/* Growth in the part that was already walked is not lost. */
static void counters_may_move_during_a_walk(void **state)
{
	AUTO_ADAPTIVE struct adaptive *s = begin_slices();
	AUTO_VIEW struct view *view = NULL;
	struct tree_process p = adaptive_large;

	(void)state;
	while (!s->pass->adaptive.walks.counts.slices ||
		s->pass->adaptive.walks.walk[0].slices.is_mapping)
		assert_true(adaptive_turn(s));
	p.rss_kib += 500 << 10;
	p.uss_kib += 500 << 10;
	p.pss_kib += 500 << 10;
	adaptive_add(s, &p, 0); /* smaps is unchanged */
	while (adaptive_turn(s))
		;
	assert_int_equal(s->pass->adaptive.walks.counts.reads[WALK_COST_SLICES], 1);
	view = adaptive_pass(s);
	assert_int_equal(adaptive_row(view, 50)->q[PROCESS_RSS], p.rss_kib * 1024);
	assert_int_equal(adaptive_row(view, 50)->q[PROCESS_PSS], p.pss_kib * 1024);
	assert_true(adaptive_row(view, 50)->q[PROCESS_PSS_LOW] < p.pss_kib * 1024);
	assert_true(adaptive_row(view, 50)->q[PROCESS_PSS_HIGH] >= p.pss_kib * 1024);
}

/*
 * The costs of a read are charged when it was read, and those of using it too. Without tokens
 * there is no further slice.
 */
static void slices_are_charged_one_by_one(void **state)
{
	AUTO_ADAPTIVE struct adaptive *s = adaptive_new(&run_adaptive);
	struct pass_options poor = run_adaptive;
	struct adaptive_pass *a = &s->pass->adaptive;
	uint64_t charged_ns, used_ns, slices;

	(void)state;
	view_unref(adaptive_pass(s)); /* processes at the start need no tokens */
	adaptive_add(s, &adaptive_large, 0);
	adaptive_add_mappings(s, &adaptive_large, 32);
	view_unref(adaptive_pass(s));
	adaptive_plan(s, 100);
	while (a->walks.counts.slices < 3) {
		slices = a->walks.counts.slices;
		charged_ns = a->budget.charged_ns;
		used_ns = a->walks.counts.used_ns;
		assert_true(adaptive_turn(s));
		assert_true(a->walks.counts.slices > slices);
		assert_true(a->walks.counts.used_ns > used_ns);
		assert_true(a->budget.charged_ns - charged_ns > a->walks.counts.used_ns - used_ns);
	}
	poor.budget_cpu_ppm = 1;
	pass_set_options(s->pass, &poor);
	cpu_budget_charge(&a->budget, clock_now_ns(CLOCK_MONOTONIC), NS_PER_SEC);
	slices = a->walks.counts.slices;
	for (unsigned int turn = 0; turn < 3; turn++)
		assert_int_equal(pass_measure(s->pass), 0);
	assert_int_equal(a->walks.counts.slices, slices);
	assert_true(pass_next_measure_ns(s->pass, clock_now_ns(CLOCK_MONOTONIC)) >
		    clock_now_ns(CLOCK_MONOTONIC) + 1000 * NS_PER_SEC); /* a debt of one second */
	used_ns = a->walks.counts.used_ns;
	tree_remove(&s->tree, "50");
	view_unref(adaptive_pass(s));
	assert_int_equal(a->walks.counts.discarded, 1);
	assert_int_equal(a->walks.counts.used_ns, used_ns);
}

/* A walk that exceeds a small stall budget is sliced, however short it is. */
static void slices_if_the_stall_budget_is_small(void **state)
{
	struct pass_options small = run_adaptive;
	AUTO_ADAPTIVE struct adaptive *s = NULL;
	AUTO_VIEW struct view *view = NULL;
	struct tree_process p = {.pid = 50,
		.image = 50,
		.name = "large",
		.rss_kib = 300 << 10,
		.pss_kib = 300 << 10,
		.uss_kib = 300 << 10};

	(void)state;
	small.stall_ns = 1 * NS_PER_MSEC;
	s = adaptive_new(&small);
	adaptive_add(s, &p, 0);
	adaptive_add_mappings(s, &p, 32);
	view_unref(adaptive_pass(s));
	walk_cost_init(
		&s->pass->adaptive.walks.model[WALK_COST_ROLLUP], WALK_COST_ROLLUP); /* 1.7 ms */
	adaptive_turns(s);
	view = adaptive_pass(s);
	assert_int_equal(view_self(view)->q[SELF_MEASUREMENTS_SLICED], 1);
	assert_int_equal(view_self(view)->q[SELF_DEFERRED_STALL], 0);
	assert_int_equal(adaptive_row(view, 50)->source, SOURCE_SMAPS);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(chooses_how_to_walk),
		cmocka_unit_test(walks_in_one_piece_are_charged),
		cmocka_unit_test(reads_fault_counters_first),
		cmocka_unit_test(skips_fault_counters_that_do_not_matter),
		cmocka_unit_test(reads_fault_counters_before_all_slices),
		cmocka_unit_test(walks_take_turns_by_slices),
		cmocka_unit_test(gives_up_on_giants),
		cmocka_unit_test(walk_of_an_exited_process_does_not_begin),
		cmocka_unit_test(slices_large_processes),
		cmocka_unit_test(walk_ends_with_its_image),
		cmocka_unit_test(counters_may_move_during_a_walk),
		cmocka_unit_test(slices_are_charged_one_by_one),
		cmocka_unit_test(slices_if_the_stall_budget_is_small),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
