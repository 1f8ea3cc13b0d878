/* SPDX-License-Identifier: Apache-2.0 */
/* Tests the measurement queue: order, slices, deferrals. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include "base/clock.h"
#include "collectors/adaptive/measure-queue.h"
#include "tests/unit/support/tree/adaptive.h"
#include "tests/unit/support/tree/run.h"

#define MIB (UINT64_C(1) << 20)
#define SEC NS_PER_SEC

static const struct measure_plan_limits limits = {
	.tokens_ns = SEC,
	.interval_ns = 10 * SEC,
	.max_age_ns = 300 * SEC,
	.giant_age_ns = 3600 * SEC,
	.stall_ns = 20 * NS_PER_MSEC,
};

static const struct page_walk_forecast whole = {.way = WALK_COST_ROLLUP,
					       .prediction = {NS_PER_MSEC, NS_PER_MSEC}},
				       sliced = {.way = WALK_COST_SLICES,
					       .prediction = {NS_PER_MSEC, 1}},
				       giant = {.way = WALK_COST_ROLLUP,
					       .is_giant = true,
					       .prediction = {NS_PER_SEC / 10, NS_PER_SEC / 10}};

struct scene {
	struct measure_queue c;
	struct buffer scratch;
	struct tracked w;
};

static struct scene *scene_new(void)
{
	struct scene *s = calloc(1, sizeof(*s));

	assert_non_null(s);
	measure_queue_init(&s->c, &s->scratch);
	s->w.has_base = true;
	s->w.measured_ns = clock_now_ns(CLOCK_BOOTTIME);
	return s;
}

static void scene_done(struct scene **s)
{
	measure_queue_done(&(*s)->c);
	buffer_done(&(*s)->scratch);
	free(*s);
}
#define AUTO_SCENE CLEANUP(scene_done)

/* Processes with a sliced walk may be passed over. They keep their order among themselves. */
static void may_pass_over_sliced_walks(void **state)
{
	static const struct page_walk_forecast *const way[] = {
		&whole, &sliced, &sliced, &whole, &whole};
	static const uint32_t want[] = {0, 3, 1, 2, 4};
	AUTO_SCENE struct scene *s = scene_new();
	struct measure_choice *choice;

	(void)state;
	assert_int_equal(measure_queue_begin(&s->c, 5), 0);
	for (size_t i = 0; i < 5; i++)
		measure_queue_add(&s->c, &s->w, i, way[i], (5 - i) * 100 * MIB, 1000 * MIB);
	assert_int_equal(measure_queue_end(&s->c, &limits), 0);
	assert_int_equal(s->c.chosen, 5);
	assert_int_equal(s->c.left_ns, 5 * NS_PER_MSEC);
	for (size_t i = 0; i < 5; i++) {
		assert_true(measure_queue_has(&s->c, CHOICES_ALL, false));
		assert_true(measure_queue_has(&s->c, CHOICES_WHOLE, false));
		choice = measure_queue_next(&s->c, i != 1 ? CHOICES_ALL : CHOICES_WHOLE, false);
		assert_non_null(choice);
		assert_int_equal(choice->place, want[i]);
		assert_int_equal(
			choice->kind, way[want[i]] == &sliced ? CHOICE_SLICES : CHOICE_WHOLE);
		assert_int_equal(s->c.left_ns, (4 - i) * NS_PER_MSEC);
	}
	assert_false(measure_queue_has(&s->c, CHOICES_ALL, false));
	assert_null(measure_queue_next(&s->c, CHOICES_ALL, false));

	assert_int_equal(measure_queue_begin(&s->c, 1), 0);
	measure_queue_add(&s->c, &s->w, 9, &sliced, 100 * MIB, 1000 * MIB);
	assert_int_equal(measure_queue_end(&s->c, &limits), 0);
	assert_false(measure_queue_has(&s->c, CHOICES_WHOLE, false));
	assert_null(measure_queue_next(&s->c, CHOICES_WHOLE, false));
	assert_int_equal(measure_queue_next(&s->c, CHOICES_ALL, false)->place, 9);
}

/* If only excused processes may be measured, the others keep their order. */
static void takes_only_excused_processes(void **state)
{
	AUTO_SCENE struct scene *s = scene_new();
	struct page_walk_forecast excused_whole = whole, excused_sliced = sliced;
	const struct page_walk_forecast *const way[] = {
		&whole, &excused_sliced, &sliced, &excused_whole};

	(void)state;
	excused_whole.is_excused = excused_sliced.is_excused = true;
	s->w.has_base = false;
	s->w.measured_ns = 0;
	assert_int_equal(measure_queue_begin(&s->c, 4), 0);
	for (size_t i = 0; i < ARRAY_SIZE(way); i++)
		measure_queue_add(&s->c, &s->w, i, way[i], 100 * MIB, (i + 1) * MIB);
	assert_int_equal(measure_queue_end(&s->c, &limits), 0);
	assert_int_equal(s->c.chosen, 4);
	assert_int_equal(measure_queue_next(&s->c, CHOICES_WHOLE, true)->place, 3);
	assert_false(measure_queue_has(&s->c, CHOICES_WHOLE, true));
	assert_null(measure_queue_next(&s->c, CHOICES_WHOLE, true));
	assert_true(measure_queue_has(&s->c, CHOICES_ALL, true));
	assert_int_equal(measure_queue_next(&s->c, CHOICES_ALL, true)->place, 1);
	assert_false(measure_queue_has(&s->c, CHOICES_ALL, true));
	assert_true(measure_queue_has(&s->c, CHOICES_WHOLE, false));
	assert_int_equal(measure_queue_left(&s->c), 2);

	/* A process that was measured is no longer excused. */
	s->w.has_base = true;
	assert_int_equal(measure_queue_begin(&s->c, 1), 0);
	assert_false(measure_queue_add(&s->c, &s->w, 0, &excused_whole, 7, 8)->is_excused);
}

/* Each pass counts the processes that it defers. */
static void counts_deferred_processes(void **state)
{
	AUTO_SCENE struct scene *s = scene_new();
	struct measure_plan_limits poor = limits;

	(void)state;
	poor.tokens_ns = 1;
	for (unsigned int round = 1; round <= 2; round++) {
		assert_int_equal(measure_queue_begin(&s->c, 3), 0);
		for (size_t i = 0; i < 3; i++)
			measure_queue_add(&s->c, &s->w, i, &whole, 100 * MIB, 100 * MIB);
		assert_int_equal(measure_queue_end(&s->c, &poor), 0);
		assert_int_equal(s->c.chosen, 1); /* the process that may overdraw the tokens */
		assert_int_equal(s->c.deferred[MEASURE_PLAN_BUDGET], round * 2);
	}
	measure_queue_drop(&s->c);
	assert_false(measure_queue_has(&s->c, CHOICES_ALL, false));
}

/* A process is new, refused or neither, by what is known about it. */
static void classifies_processes(void **state)
{
	AUTO_SCENE struct scene *s = scene_new();
	const struct measure_plan_item *item;

	(void)state;
	assert_int_equal(measure_queue_begin(&s->c, 4), 0);
	item = measure_queue_add(&s->c, &s->w, 0, &whole, 7, 8);
	assert_false(item->is_new);
	assert_int_equal(item->doubt_bytes, 7);
	assert_int_equal(item->pss_bytes, 8);
	s->w.has_base = false;
	s->w.outcome = OUTCOME_DENIED;
	item = measure_queue_add(&s->c, &s->w, 1, &giant, 7, 8);
	assert_false(item->is_new);
	assert_true(item->cost_ns < NS_PER_MSEC);
	assert_int_equal(item->hold_ns, 0);
	assert_int_equal(item->doubt_bytes, 0);
	s->w.measured_ns = 0;
	s->w.outcome = OUTCOME_MEASURED;
	s->w.first_ns = clock_now_ns(CLOCK_BOOTTIME);
	item = measure_queue_add(&s->c, &s->w, 2, &giant, 7, 8);
	assert_true(item->is_new && item->is_giant);
	assert_int_equal(item->hold_ns, giant.prediction.hold_ns);
	/* counts its true age, and no higher age for its size */
	assert_true(item->age_ns < 60 * SEC);
}

/* The worst effect of events counts, but limited to a multiple of the likely effect. */
static void doubts_no_more_than_is_likely(void **state)
{
	struct estimate_doubt d = {.anon_mid = (int64_t)MIB, .anon_up = 500 * MIB};
	AUTO_SCENE struct scene *s = scene_new();
	struct tracked *w = &s->w;
	struct snapshot_process row = {0};

	(void)state;
	assert_int_equal(measure_queue_doubt(w, 90, 100, 130), 30);
	assert_int_equal(measure_queue_doubt(w, 60, 100, 130), 40);
	w->doubt = &d;
	assert_int_equal(measure_queue_doubt(w, 0, 0, 500 * MIB), 16 * MIB);
	assert_int_equal(measure_queue_doubt(w, 0, 0, 510 * MIB), 26 * MIB);
	d.anon_mid = -(int64_t)MIB;
	assert_int_equal(measure_queue_doubt(w, 0, 0, 500 * MIB), 16 * MIB);
	w->doubt = NULL;
	w->base = (struct estimate_base){
		.anon = 100 * MIB, .pss_anon = 10 * MIB, .uss = 0, .has_parts = true};
	w->broken_kib = 20 << 10; /* what it may have written to counts at least */
	row.q[PROCESS_PSS] = row.q[PROCESS_PSS_LOW] = row.q[PROCESS_PSS_HIGH] = 10 * MIB;
	assert_int_equal(measure_queue_row_doubt(w, &row), 20 * MIB);
}

/* Adds a process of KIB in one mapping. Beyond 8 GiB its memory is of a file. */
static void add_giant(struct adaptive *s, uint64_t kib)
{
	struct tree_process p = {.pid = 50,
		.image = 50,
		.name = "giant",
		.rss_kib = kib,
		.pss_kib = 8 << 20,
		.uss_kib = 8 << 20};

	adaptive_add(s, &p, 0);
	adaptive_add_mappings(s, &p, 1);
}

/*
 * Slicing does not help with a single mapping. Once its maps were read, the process is left to the
 * next plan. That plan measures it in one piece, and then at a greater age of its own.
 */
static void rarely_measures_huge_mappings(void **state)
{
	AUTO_ADAPTIVE struct adaptive *s = adaptive_new(&run_adaptive);
	AUTO_VIEW struct view *view = NULL;

	(void)state;
	add_giant(s, 8 << 20);
	view_unref(adaptive_pass(s));
	assert_int_equal(s->opened[OPENED_ROLLUP].count, 4);
	adaptive_turns(s);
	assert_int_equal(s->opened[OPENED_ROLLUP].count, 0);
	view = adaptive_pass(s);
	assert_int_equal(s->opened[OPENED_ROLLUP].count, 0); /* it is not urgent */
	assert_int_equal(view_self(view)->q[SELF_DEFERRED_GIANT], 1);
	adaptive_turns(s);
	assert_int_equal(s->opened[OPENED_ROLLUP].count, 1);
	adaptive_again(s, &view);
	assert_int_equal(adaptive_row(view, 50)->q[PROCESS_PSS], UINT64_C(8) << 30);
	/* its estimate is in doubt, but it is not measured */
	for (uint64_t pass = 0; pass < 3; pass++) {
		add_giant(s, (11 + 2 * pass) << 20);
		adaptive_again(s, &view);
		adaptive_turns(s);
		assert_int_equal(s->opened[OPENED_ROLLUP].count, 0);
	}
	assert_int_equal(adaptive_row(view, 50)->source, SOURCE_ESTIMATE);
	assert_true(view_self(view)->q[SELF_DEFERRED_GIANT] > 1);
}

/* With an age of "never" such a process is never measured, not even the first time. */
static void may_never_measure_huge_mappings(void **state)
{
	struct pass_options never = run_adaptive;
	AUTO_ADAPTIVE struct adaptive *s = NULL;
	AUTO_VIEW struct view *view = NULL;

	(void)state;
	never.giant_age_ns = 0;
	s = adaptive_new(&never);
	add_giant(s, 8 << 20);
	for (unsigned int pass = 0; pass < 4; pass++) {
		view_unref(adaptive_pass(s));
		assert_int_equal(s->opened[OPENED_ROLLUP].count, pass ? 0 : 4);
		adaptive_turns(s);
		assert_int_equal(s->opened[OPENED_ROLLUP].count, 0);
	}
	view = adaptive_pass(s);
	assert_int_equal(adaptive_row(view, 50)->source, SOURCE_ESTIMATE);
	assert_true(view_self(view)->q[SELF_DEFERRED_GIANT] >= 3);
}

static void press(struct adaptive *s, const char *share)
{
	char text[128];

	snprintf(text, sizeof(text), "some avg10=%s avg60=0.00 avg300=0.00 total=1\n", share);
	tree_write(&s->tree, "pressure/memory", text);
}

/*
 * Under severe memory pressure a measurement because of doubt is deferred and counted. An
 * unreadable pressure file does not count as pressure.
 */
static void defers_doubts_under_memory_pressure(void **state)
{
	static const char *const texts[] = {"30.01", "nonsense", "30.00"};
	AUTO_ADAPTIVE struct adaptive *s = adaptive_new(&run_adaptive);
	struct tree_process p = adaptive_cast[4];
	AUTO_VIEW struct view *view = NULL;

	(void)state;
	view = adaptive_pass(s);
	assert_false(ROW_HAS(view_self(view), SELF_MEMORY_PRESSURE)); /* no such file */
	adaptive_plan(s, 1);
	for (unsigned int pass = 0; pass < 3; pass++) {
		p.rss_kib += 40000;
		adaptive_add(s, &p, 0);
		press(s, texts[pass]);
		adaptive_again(s, &view);
		assert_int_equal(s->opened[OPENED_ROLLUP].count, pass ? 1 : 0);
		assert_int_equal(
			adaptive_row(view, 13)->source, pass ? SOURCE_ROLLUP : SOURCE_ESTIMATE);
		assert_int_equal(view_self(view)->q[SELF_DEFERRED_PRESSURE], 1);
		assert_int_equal(view_self(view)->q[SELF_DEFERRED_BUDGET], 0);
		assert_int_equal(ROW_HAS(view_self(view), SELF_MEMORY_PRESSURE), pass != 1);
		adaptive_plan(s, 1);
		assert_int_equal(
			pass_next_measure_ns(s->pass, clock_now_ns(CLOCK_MONOTONIC)), UINT64_MAX);
	}
	assert_true(metric_real(view_self(view)->q[SELF_MEMORY_PRESSURE]) == 0.3);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(may_pass_over_sliced_walks),
		cmocka_unit_test(takes_only_excused_processes),
		cmocka_unit_test(counts_deferred_processes),
		cmocka_unit_test(classifies_processes),
		cmocka_unit_test(doubts_no_more_than_is_likely),
		cmocka_unit_test(rarely_measures_huge_mappings),
		cmocka_unit_test(may_never_measure_huge_mappings),
		cmocka_unit_test(defers_doubts_under_memory_pressure),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
