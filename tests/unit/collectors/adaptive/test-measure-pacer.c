/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of collectors/adaptive/measure-pacer.h: measurements between passes. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include <errno.h>

#include "base/clock.h"
#include "collectors/adaptive/measure-pacer.h"
#include "collectors/process/state/block.h"
#include "tests/unit/support/tree/adaptive.h"
#include "tests/unit/support/tree/run.h"

/* The next read() of this descriptor finds that its worker is gone; -1: none. */
static int lost_fd = -1;

ssize_t __real_read(int fd, void *buf, size_t size);
ssize_t __wrap_read(int fd, void *buf, size_t size);

ssize_t __wrap_read(int fd, void *buf, size_t size)
{
	if (fd < 0 || fd != lost_fd)
		return __real_read(fd, buf, size);
	lost_fd = -1;
	errno = ESTALE;
	return -1;
}

/* A pass measures uncertain processes and shows the result. */
static void measures_uncertain_processes_within_the_pass(void **state)
{
	AUTO_ADAPTIVE struct adaptive *s = adaptive_new(&run_adaptive);
	AUTO_VIEW struct view *view = NULL;
	struct tree_process p = adaptive_cast[4];
	uint64_t now_ns;

	(void)state;
	view_unref(adaptive_pass(s));
	view_unref(adaptive_pass(s));
	p.rss_kib += 40000; /* of a file: the estimate has wide bounds */
	p.pss_kib += 1234;
	adaptive_add(s, &p, 0);
	view = adaptive_pass(s);
	assert_int_equal(s->opened[OPENED_ROLLUP].count, 1);
	assert_int_equal(adaptive_row(view, 13)->source, SOURCE_ROLLUP);
	assert_int_equal(adaptive_row(view, 13)->q[PROCESS_PSS], p.pss_kib * 1024);
	assert_int_equal(adaptive_row(view, 12)->source, SOURCE_ESTIMATE);
	now_ns = clock_now_ns(CLOCK_MONOTONIC);
	pass_plan(s->pass, now_ns + 10 * NS_PER_SEC);
	assert_int_equal(pass_next_measure_ns(s->pass, now_ns), UINT64_MAX);
}

/* It is in the next plan. The budget is not short, so it does not count as deferred for that. */
static void walk_that_turns_out_long_is_not_in_the_pass(void **state)
{
	AUTO_ADAPTIVE struct adaptive *s = adaptive_new(&run_adaptive);
	struct measure_queue *queue = &s->pass->pacer.queue;
	struct tree_process p = adaptive_cast[4];

	(void)state;
	view_unref(adaptive_pass(s));
	p.rss_kib += 40000;
	adaptive_add(s, &p, 0);
	tree_expect(s->opened, OPENED_FILES);
	assert_int_equal(pass_begin(s->pass), 0);
	while (!measure_queue_has(queue, CHOICES_WHOLE, false))
		assert_int_equal(pass_step(s->pass, 0), PASS_MORE);
	s->pass->adaptive.walks.stall_ns = 1;
	assert_int_equal(run_steps(s->pass), 0);
	assert_int_equal(measure_queue_left(queue), 0);
	assert_int_equal(s->opened[OPENED_ROLLUP].count, 0);
	assert_int_equal(queue->deferred[MEASURE_PLAN_BUDGET], 0);
	for (size_t i = 0; i < s->pass->table.count; i++)
		assert_false(s->pass->table.item[i]->tracked->is_waiting);
}

/* Without budget the chosen processes wait, for later passes too. With budget they are measured. */
static void waits_for_its_budget(void **state)
{
	AUTO_ADAPTIVE struct adaptive *s = adaptive_new(&run_adaptive);
	struct pass_options poor = run_adaptive;
	unsigned int measured;
	uint64_t now_ns;

	(void)state;
	poor.budget_cpu_ppm = 1;
	view_unref(adaptive_pass(s));
	for (size_t i = 1; i < ARRAY_SIZE(adaptive_cast); i++) {
		struct tree_process p = adaptive_cast[i];

		p.rss_kib += 40000;
		adaptive_add(s, &p, 0);
	}
	pass_set_options(s->pass, &poor); /* at once */
	view_unref(adaptive_pass(s));
	measured = s->opened[OPENED_ROLLUP].count;
	assert_true(measured <= 1); /* the one that may overdraw the budget */
	now_ns = clock_now_ns(CLOCK_MONOTONIC);
	pass_plan(s->pass, now_ns + 10 * NS_PER_SEC);
	assert_true(pass_next_measure_ns(s->pass, now_ns) >= now_ns + 10 * NS_PER_SEC);
	pass_set_options(s->pass, &run_adaptive);
	nanosleep(&(struct timespec){.tv_sec = 1}, NULL);
	view_unref(adaptive_pass(s));
	assert_int_equal(measured + s->opened[OPENED_ROLLUP].count, 4);
}

/* Walks in slices do not wait for each other, and passes do not wait for them. */
static void walks_do_not_wait_for_each_other(void **state)
{
	AUTO_ADAPTIVE struct adaptive *s = adaptive_new(&run_adaptive);
	struct tree_process p = adaptive_large, small = adaptive_cast[4];
	const struct page_walks *walks = &s->pass->adaptive.walks;
	unsigned int most = 0;

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
	assert_int_equal(s->opened[OPENED_ROLLUP].count, 1);
	for (size_t i = 0; i < PAGE_WALKS_AT_ONCE; i++)
		assert_false(smaps_slices_are_under_way(&walks->walk[i].slices));
	tree_expect(s->opened, OPENED_FILES);
	adaptive_plan(s, 100);
	for (unsigned int turns = 0; turns < 10000 && adaptive_turn(s); turns++) {
		s->pass->pacer.turn_ns = 0; /* as if much time had passed */
		most = walks->under_way > most ? walks->under_way : most;
	}
	assert_int_equal(most, 4);
	assert_int_equal(walks->counts.reads[WALK_COST_SLICES], 6);
	assert_int_equal(walks->counts.discarded, 0);
}

/* After a stop, a suspend or a delay: if a pass is due there are no turns. */
static void has_no_turns_when_a_pass_is_due(void **state)
{
	AUTO_ADAPTIVE struct adaptive *s = adaptive_new(&run_adaptive);
	uint64_t now_ns;

	(void)state;
	view_unref(adaptive_pass(s));
	adaptive_add(s, &adaptive_large, 0);
	adaptive_add_mappings(s, &adaptive_large, 32);
	view_unref(adaptive_pass(s));
	now_ns = clock_now_ns(CLOCK_MONOTONIC);
	pass_plan(s->pass, now_ns + NS_PER_SEC);
	assert_true(pass_next_measure_ns(s->pass, now_ns) < now_ns + NS_PER_SEC);
	assert_int_equal(pass_next_measure_ns(s->pass, now_ns + NS_PER_SEC), UINT64_MAX);
	assert_int_equal(pass_next_measure_ns(s->pass, now_ns + 3600 * NS_PER_SEC), UINT64_MAX);
	assert_int_equal(pass_begin(s->pass), 0);
	assert_int_equal(pass_next_measure_ns(s->pass, now_ns), UINT64_MAX);
	while (s->pass->phase != PHASE_ROWS)
		assert_int_equal(pass_step(s->pass, 0), PASS_MORE);
	assert_int_equal(pass_measure(s->pass), 0); /* nor during a pass */
	assert_true(measure_queue_has(&s->pass->pacer.queue, CHOICES_ALL, false));
	assert_int_equal(s->pass->adaptive.walks.under_way, 0);
}

/*
 * Processes that exist at the start wait for no tokens and use none. This is so only at the start.
 */
static void processes_at_the_start_need_no_tokens(void **state)
{
	struct tree_process p = adaptive_large, other = adaptive_large, newborn = adaptive_large;
	struct pass_options poor = run_adaptive;
	AUTO_ADAPTIVE struct adaptive *s = NULL;
	AUTO_VIEW struct view *view = NULL;
	const struct cpu_budget *budget;
	const uint64_t *reads;
	uint64_t excused_ns;

	(void)state;
	poor.budget_cpu_ppm = 1; /* 60 us a minute */
	s = adaptive_new(&poor);
	reads = s->pass->adaptive.walks.counts.reads;
	budget = &s->pass->adaptive.budget;
	other.pid = 51;
	other.image = 51;
	adaptive_add(s, &p, 0);
	adaptive_add_mappings(s, &p, 32);
	adaptive_add(s, &other, 0);
	adaptive_add_mappings(s, &other, 32);
	view = adaptive_pass(s);
	for (size_t i = 1; i < ARRAY_SIZE(adaptive_cast); i++)
		adaptive_assert_quiet(
			adaptive_row(view, (uint32_t)adaptive_cast[i].pid), &adaptive_cast[i]);
	assert_false(ROW_HAS(adaptive_row(view, 50), PROCESS_PSS_AGE));
	assert_int_equal(budget->charged_ns, 0);
	other.image = 52; /* it calls exec */
	adaptive_add(s, &other, 0);
	adaptive_add_mappings(s, &other, 32);
	assert_true(adaptive_turns(s) > 3);
	assert_int_equal(reads[WALK_COST_SLICES], 1);
	assert_int_equal(reads[WALK_COST_ROLLUP], 4);
	adaptive_again(s, &view);
	assert_int_equal(adaptive_row(view, 50)->q[PROCESS_PSS], p.pss_kib * 1024);
	assert_false(ROW_HAS(adaptive_row(view, 51), PROCESS_PSS_AGE));

	newborn.pid = 53;
	newborn.image = 53;
	adaptive_add(s, &newborn, 0);
	adaptive_add_mappings(s, &newborn, 32);
	excused_ns = budget->excused_ns;
	for (unsigned int pass = 0; pass < 3; pass++) {
		adaptive_again(s, &view);
		assert_int_equal(adaptive_turns(s), 0);
	}
	assert_int_equal(reads[WALK_COST_SLICES], 1);
	assert_int_equal(budget->excused_ns, excused_ns);
}

/* Under memory pressure, or after much time, they wait like others. */
static void excuse_ends(void **state)
{
	static const char *const texts[] = {
		"some avg10=12.00 avg60=0.00 avg300=0.00 total=1\n", NULL};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		struct pass_options poor = run_adaptive;
		AUTO_ADAPTIVE struct adaptive *s = NULL;
		AUTO_VIEW struct view *view = NULL;

		poor.budget_cpu_ppm = 1;
		s = adaptive_new(&poor);
		adaptive_add(s, &adaptive_large, 0);
		adaptive_add_mappings(s, &adaptive_large, 32);
		view = adaptive_pass(s);
		if (texts[i])
			tree_write(&s->tree, "pressure/memory", texts[i]);
		else
			s->pass->adaptive.start_ns -= 301 * NS_PER_SEC;
		cpu_budget_charge(
			&s->pass->adaptive.budget, clock_now_ns(CLOCK_MONOTONIC), NS_PER_SEC);
		adaptive_again(s, &view);
		assert_int_equal(adaptive_turns(s), 0);
	}
}

/*
 * If it fits the budget a pass measures every process. Its values are then of this pass, and
 * nothing is left to plan.
 */
static void measures_all_that_fit(void **state)
{
	struct pass_options rich = run_adaptive;
	struct tree_process p = adaptive_cast[4];
	AUTO_ADAPTIVE struct adaptive *s = NULL;
	AUTO_VIEW struct view *view = NULL;
	uint64_t now_ns;

	(void)state;
	rich.spare_ppm = 750000;
	s = adaptive_new(&rich);
	for (unsigned int pass = 0; pass < 3; pass++) {
		p.rss_kib += 40000;
		p.pss_kib += 1234;
		adaptive_add(s, &p, 0);
		adaptive_again(s, &view);
		assert_int_equal(s->opened[OPENED_ROLLUP].count, 4);
		for (uint32_t pid = 10; pid < 14; pid++)
			assert_int_equal(adaptive_row(view, pid)->source, SOURCE_ROLLUP);
		assert_int_equal(adaptive_row(view, 13)->q[PROCESS_PSS], p.pss_kib * 1024);
		assert_int_equal(adaptive_row(view, 13)->q[PROCESS_PSS_LOW], p.pss_kib * 1024);
		now_ns = clock_now_ns(CLOCK_MONOTONIC);
		pass_plan(s->pass, now_ns + 10 * NS_PER_SEC);
		assert_int_equal(pass_next_measure_ns(s->pass, now_ns), UINT64_MAX);
	}
}

/* If it would cost more than the budget brings, or under memory pressure, passes estimate. */
static void estimates_if_not_all_fit(void **state)
{
	static const char pressure[] = "some avg10=12.00 avg60=0.00 avg300=0.00 total=1\n";
	static const struct {
		uint32_t budget_ppm;
		bool is_short;
	} cases[] = {{2, false}, {1000000, true}};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct pass_options options = run_adaptive;
		AUTO_ADAPTIVE struct adaptive *s = NULL;

		options.spare_ppm = 750000;
		s = adaptive_new(&options);
		view_unref(adaptive_pass(s));
		options.budget_cpu_ppm = cases[i].budget_ppm;
		pass_set_options(s->pass, &options);
		if (cases[i].is_short)
			tree_write(&s->tree, "pressure/memory", pressure);
		view_unref(adaptive_pass(s));
		view_unref(adaptive_pass(s));
		assert_int_equal(s->opened[OPENED_ROLLUP].count, 0);
	}
}

/*
 * Which other processes share memory that a process has touched is unknown until its maps are
 * read.
 */
static void measures_processes_with_unknown_sharers(void **state)
{
	AUTO_ADAPTIVE struct adaptive *s = adaptive_new(&run_adaptive);
	struct tree_process p = adaptive_cast[3];

	(void)state;
	view_unref(adaptive_pass(s));
	view_unref(adaptive_pass(s));
	p.rss_kib += 300;
	p.shmem_kib = 300;
	adaptive_add(s, &p, 0);
	view_unref(adaptive_pass(s));
	assert_int_equal(s->opened[OPENED_ROLLUP].count, 0);
	p.rss_kib += 800;
	p.shmem_kib += 800;
	adaptive_add(s, &p, 0);
	view_unref(adaptive_pass(s));
	assert_int_equal(s->opened[OPENED_ROLLUP].count, 1);
	view_unref(adaptive_pass(s));
	assert_int_equal(s->opened[OPENED_ROLLUP].count, 0);
}

static uint64_t waiting_of(const struct view *view, enum self_quantity reason)
{
	return view_self(view)->q[reason];
}

/*
 * A process counts as waiting from the pass that could not measure it until it is measured, under
 * the present reason.
 */
static void counts_waiting_processes(void **state)
{
	struct tree_process newborn = adaptive_cast[4];
	AUTO_ADAPTIVE struct adaptive *s = adaptive_new(&run_adaptive);
	struct cpu_budget *budget = &s->pass->adaptive.budget;
	AUTO_VIEW struct view *view = NULL;

	(void)state;
	view_unref(adaptive_pass(s));
	adaptive_turns(s);
	view = adaptive_pass(s);
	assert_int_equal(waiting_of(view, SELF_WAITING_BUDGET), 0);
	assert_int_equal(waiting_of(view, SELF_BACKLOG), 0);
	for (newborn.pid = 60; newborn.pid < 63; newborn.pid++) {
		newborn.image = (uint64_t)newborn.pid;
		adaptive_add(s, &newborn, 0);
	}
	cpu_budget_charge(budget, clock_now_ns(CLOCK_MONOTONIC), 59 * NS_PER_SEC);
	cpu_budget_charge(budget, clock_now_ns(CLOCK_MONOTONIC), 31 * NS_PER_SEC);
	adaptive_again(s, &view);
	assert_int_equal(view_host(view)->q[SCOPE_GUESSED], 3);
	assert_int_equal(waiting_of(view, SELF_WAITING_BUDGET), 3);
	assert_int_equal(waiting_of(view, SELF_WAITING_PRESSURE), 0);
	assert_true(waiting_of(view, SELF_BACKLOG) > 20 * NS_PER_SEC);
	adaptive_plan(s, 1);
	tree_write(
		&s->tree, "pressure/memory", "some avg10=12.00 avg60=0.00 avg300=0.00 total=1\n");
	adaptive_again(s, &view);
	assert_int_equal(waiting_of(view, SELF_WAITING_BUDGET), 0);
	assert_int_equal(waiting_of(view, SELF_WAITING_PRESSURE), 3);
	tree_write(&s->tree, "pressure/memory", "some avg10=0.00 avg60=0.00 avg300=0.00 total=1\n");
	budget->tokens_ns = NS_PER_SEC;
	adaptive_turns(s);
	adaptive_again(s, &view);
	assert_int_equal(view_host(view)->q[SCOPE_GUESSED], 0);
	assert_int_equal(waiting_of(view, SELF_WAITING_BUDGET), 0);
	assert_int_equal(waiting_of(view, SELF_WAITING_PRESSURE), 0);
}

static struct process *process_of(struct adaptive *s, pid_t pid)
{
	struct process_table *t = &s->pass->table;
	size_t i = 0;

	while (i < t->count && t->item[i]->pid != pid)
		i++;
	assert_true(i < t->count);
	return t->item[i];
}

/* Makes passes, with turns between them, for SECONDS. */
static void go_on_for(struct adaptive *s, unsigned int seconds)
{
	for (unsigned int i = 0; i < seconds; i += 10) {
		view_unref(adaptive_pass(s));
		adaptive_plan(s, 10);
		while (adaptive_turn(s))
			;
		nanosleep(&(struct timespec){.tv_sec = 10}, NULL);
	}
}

/*
 * If the lock of a process's address space was held during a read, the process is measured again
 * after the pause that block.h sets, not before, however it is walked: in one piece, in slices, or
 * as a giant that is due.
 */
static void retries_blocked_walks(void **state)
{
	static const struct {
		unsigned int mib, mappings; /* of the process */
		unsigned int age_s;         /* age of its measurement when the read blocks */
	} cases[] = {{10, 1, 100}, {8192, 32, 100}, {8192, 1, 3700}};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		AUTO_ADAPTIVE struct adaptive *s = adaptive_new(&run_adaptive);
		struct tree_process p = adaptive_large;
		const uint64_t *measured_ns;
		struct process *process;
		uint64_t before_ns;

		p.rss_kib = p.pss_kib = p.uss_kib = (uint64_t)cases[i].mib << 10;
		adaptive_add(s, &p, 0);
		adaptive_add_mappings(s, &p, cases[i].mappings);
		go_on_for(s, 30);
		process = process_of(s, p.pid);
		measured_ns = &process->tracked->measured_ns;
		assert_true(process->tracked->has_base);
		nanosleep(&(struct timespec){.tv_sec = cases[i].age_s}, NULL);
		for (unsigned int attempt = 0; attempt < 6; attempt++)
			block_begin(&process->block, "smaps", true, clock_now_ns(CLOCK_MONOTONIC));
		before_ns = *measured_ns;
		go_on_for(s, 20);
		assert_int_equal(*measured_ns, before_ns);
		go_on_for(s, 20);
		assert_true(*measured_ns > before_ns);
	}
}

/*
 * A giant is not walked again before it is due, but it is probed: once it can be read its last
 * measurement counts again.
 */
static void probes_blocked_giants(void **state)
{
	AUTO_ADAPTIVE struct adaptive *s = adaptive_new(&run_adaptive);
	struct tree_process p = adaptive_large;
	AUTO_VIEW struct view *view = NULL;
	struct process *process;
	uint64_t before_ns;

	(void)state;
	p.rss_kib = p.pss_kib = p.uss_kib = 8 << 20;
	adaptive_add(s, &p, 0);
	adaptive_add_mappings(s, &p, 1);
	go_on_for(s, 30);
	process = process_of(s, p.pid);
	before_ns = process->tracked->measured_ns;
	assert_true(process->tracked->has_base);
	for (unsigned int attempt = 0; attempt < 6; attempt++)
		block_begin(&process->block, "maps", true, clock_now_ns(CLOCK_MONOTONIC));
	go_on_for(s, 20);
	view = adaptive_pass(s);
	assert_int_equal(adaptive_row(view, 50)->outcome, OUTCOME_BLOCKED);
	go_on_for(s, 20);
	adaptive_again(s, &view);
	assert_int_equal(adaptive_row(view, 50)->outcome, OUTCOME_MEASURED);
	assert_int_equal(adaptive_row(view, 50)->source, SOURCE_ESTIMATE);
	assert_int_equal(adaptive_row(view, 50)->q[PROCESS_PSS_LOW], UINT64_C(8) << 30);
	assert_int_equal(process->tracked->measured_ns, before_ns);
}

/*
 * Runs all turns that are due. The process of W is walked in slices and loses its worker TIMES
 * times in the middle of the text, as if a read of another process had blocked. Its last
 * measurement stays meanwhile.
 */
static void lose_workers(struct adaptive *s, const struct tracked *w, unsigned int times)
{
	const struct page_walks *walks = &s->pass->adaptive.walks;
	uint64_t slices = walks->counts.slices;
	unsigned int lost = 0;
	uint8_t outcome = w->outcome;

	while (adaptive_turn(s)) {
		if (lost < times && walks->under_way && walks->counts.slices == slices + 3) {
			lost_fd = walks->walk[0].slices.stream.fd;
			slices = walks->counts.slices + 1;
			lost++;
		}
		assert_true(w->has_base);
		if (lost < times || walks->under_way)
			assert_int_equal(w->outcome, outcome);
	}
	assert_int_equal(lost, times);
	assert_int_equal(lost_fd, -1);
}

static void a_lost_worker_delays_a_walk(void **state)
{
	AUTO_ADAPTIVE struct adaptive *s = adaptive_new(&run_adaptive);
	struct tree_process p = adaptive_large;
	const struct page_walks *walks = &s->pass->adaptive.walks;
	AUTO_VIEW struct view *view = NULL;
	const struct tracked *w;

	(void)state;
	adaptive_add(s, &p, 0);
	adaptive_add_mappings(s, &p, 32);
	go_on_for(s, 30);
	w = process_of(s, p.pid)->tracked;
	assert_true(w->has_base);
	p.rss_kib = p.pss_kib = p.uss_kib = p.rss_kib + 400000;
	adaptive_add(s, &p, 0);
	adaptive_add_mappings(s, &p, 32);
	nanosleep(&(struct timespec){.tv_sec = 300}, NULL);
	view = adaptive_pass(s);
	adaptive_plan(s, 100);
	assert_int_equal(w->outcome, OUTCOME_MEASURED);
	lose_workers(s, w, SMAPS_SLICES_LOSSES);
	assert_int_equal(walks->counts.reads[WALK_COST_SLICES], 2);
	assert_int_equal(walks->counts.discarded, 0);
	adaptive_again(s, &view);
	assert_int_equal(adaptive_row(view, 50)->outcome, OUTCOME_MEASURED);
	assert_int_equal(adaptive_row(view, 50)->q[PROCESS_PSS], p.pss_kib / 32 * 32 * 1024);
}

/*
 * After many losses the walk is abandoned. The last measurement stays, and the walk is planned
 * again.
 */
static void walk_is_abandoned_after_many_losses(void **state)
{
	AUTO_ADAPTIVE struct adaptive *s = adaptive_new(&run_adaptive);
	struct tree_process p = adaptive_large;
	const struct page_walks *walks = &s->pass->adaptive.walks;
	AUTO_VIEW struct view *view = NULL;
	const struct tracked *w;
	uint64_t measured_ns;

	(void)state;
	adaptive_add(s, &p, 0);
	adaptive_add_mappings(s, &p, 32);
	go_on_for(s, 30);
	w = process_of(s, p.pid)->tracked;
	measured_ns = w->measured_ns;
	p.rss_kib = p.pss_kib = p.uss_kib = p.rss_kib + 400000;
	adaptive_add(s, &p, 0);
	adaptive_add_mappings(s, &p, 32);
	nanosleep(&(struct timespec){.tv_sec = 300}, NULL);
	view = adaptive_pass(s);
	adaptive_plan(s, 100);
	lose_workers(s, w, SMAPS_SLICES_LOSSES + 1);
	assert_int_equal(walks->under_way, 0);
	assert_int_equal(walks->counts.discarded, 1);
	assert_int_equal(w->outcome, OUTCOME_ERROR);
	assert_int_equal(w->measured_ns, measured_ns);
	adaptive_again(s, &view);
	assert_int_equal(adaptive_row(view, 50)->outcome, OUTCOME_MEASURED);
	assert_int_equal(adaptive_row(view, 50)->source, SOURCE_ESTIMATE);

	adaptive_plan(s, 100);
	lose_workers(s, w, 0);
	assert_true(w->measured_ns > measured_ns);
	assert_int_equal(w->outcome, OUTCOME_MEASURED);
	assert_int_equal(walks->counts.discarded, 1);
	adaptive_again(s, &view);
	assert_int_equal(adaptive_row(view, 50)->q[PROCESS_PSS], p.pss_kib / 32 * 32 * 1024);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(retries_blocked_walks),
		cmocka_unit_test(probes_blocked_giants),
		cmocka_unit_test(a_lost_worker_delays_a_walk),
		cmocka_unit_test(walk_is_abandoned_after_many_losses),
		cmocka_unit_test(measures_uncertain_processes_within_the_pass),
		cmocka_unit_test(walk_that_turns_out_long_is_not_in_the_pass),
		cmocka_unit_test(waits_for_its_budget),
		cmocka_unit_test(walks_do_not_wait_for_each_other),
		cmocka_unit_test(has_no_turns_when_a_pass_is_due),
		cmocka_unit_test(measures_all_that_fit),
		cmocka_unit_test(estimates_if_not_all_fit),
		cmocka_unit_test(measures_processes_with_unknown_sharers),
		cmocka_unit_test(processes_at_the_start_need_no_tokens),
		cmocka_unit_test(excuse_ends),
		cmocka_unit_test(counts_waiting_processes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
