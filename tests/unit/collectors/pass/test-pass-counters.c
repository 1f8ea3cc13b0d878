/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of counters that continue from pass to pass, and of which rows have series of their own. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include "tests/unit/support/faults/allocation.h"
#include "tests/unit/support/tree/run.h"
#include "tests/unit/support/tree/scene.h"

/* Counters have every rise since a process was first seen. Its values then are the baseline. */
static void counts_growth(void **state)
{
	AUTO_SCENE struct scene s;
	struct tree_process p = cast[4];
	static const struct {
		uint64_t hwm, swap, hwm_growth, swap_growth;
	} passes[] = {
		{5000, 64, 0, 0},
		{5100, 64, 100, 0},
		{5090, 20, 100, 0}, /* VmHWM is not monotonic */
		{5100, 70, 100, 50},
		{5200, 69, 200, 50},
	};

	(void)state;
	scene_open(&s, false);
	for (size_t i = 0; i < ARRAY_SIZE(passes); i++) {
		AUTO_VIEW struct view *view = NULL;
		const struct snapshot_process *row;

		p.hwm_kib = passes[i].hwm;
		p.swap_kib = passes[i].swap;
		tree_add(&s.tree, &p);
		view = run_pass(s.pass);
		row = view_find_process(view, 12);
		assert_int_equal(row->q[PROCESS_VM_HWM_GROWTH], passes[i].hwm_growth * 1024);
		assert_int_equal(row->q[PROCESS_VM_SWAP_GROWTH], passes[i].swap_growth * 1024);
		assert_int_equal(scene_find(view, METRIC_USER, "alice")->q[SCOPE_VM_HWM_GROWTH],
			passes[i].hwm_growth * 1024);
		assert_int_equal(
			scene_find(view, METRIC_UNIT, "session-2.scope")->q[SCOPE_VM_SWAP_GROWTH],
			passes[i].swap_growth * 1024);
		assert_int_equal(
			view_host(view)->q[SCOPE_VM_HWM_GROWTH], passes[i].hwm_growth * 1024);
	}
}

/* Counters never fall, not even when the last process of their row exits. */
static void counters_outlive_processes(void **state)
{
	AUTO_SCENE struct scene s;
	AUTO_VIEW struct view *before = NULL, *after = NULL;
	const struct snapshot_scope *row;
	struct tree_process p = cast[4];

	(void)state;
	scene_open(&s, false);
	view_unref(run_pass(s.pass));
	p.hwm_kib = 6000;
	tree_add(&s.tree, &p);
	before = run_pass(s.pass);
	tree_remove(&s.tree, "12");
	after = run_pass(s.pass);
	row = scene_find(after, METRIC_PROGRAM, "bash");
	assert_int_equal(row->q[SCOPE_PROCESSES], 0);
	assert_int_equal(row->q[SCOPE_PSS], 0);
	assert_int_equal(row->q[SCOPE_VM_HWM_GROWTH], 1000 * 1024);
	assert_true(row->flags & SCOPE_EXPORTED);
	assert_true(
		metric_real(row->q[SCOPE_PSS_BYTE_SECONDS]) >=
		metric_real(scene_find(before, METRIC_PROGRAM, "bash")->q[SCOPE_PSS_BYTE_SECONDS]));
	assert_int_equal(scene_find(before, METRIC_PROGRAM, "bash")->created_ns, row->created_ns);
	scene_assert_sums(after);
}

/* A limited number of rows has series. The others are one row, and all add up. */
static void exports_the_largest(void **state)
{
	AUTO_SCENE struct scene s;
	AUTO_VIEW struct view *view = NULL;
	struct pass_options o = run_exact;
	const struct snapshot_scope *other;
	uint32_t dropped;

	(void)state;
	scene_open(&s, false);
	for (size_t i = 0; i < OWNER_KINDS; i++)
		o.export_owners[i] = 1;
	o.export_processes = 0;
	pass_set_options(s.pass, &o);
	view = run_pass(s.pass);
	assert_true(scene_find(view, METRIC_USER, "1001")->flags & SCOPE_EXPORTED);
	assert_false(scene_find(view, METRIC_USER, "root")->flags & SCOPE_EXPORTED);
	other = scene_find(view, METRIC_USER, "(other)");
	assert_true(other->flags & SCOPE_OTHER);
	assert_int_equal(other->q[SCOPE_PSS], (6001 + 3505) * 1024);
	assert_true(view_count_dropped(view, METRIC_USER, &dropped));
	assert_int_equal(dropped, 2);
	assert_true(view_count_dropped(view, METRIC_PROCESS, &dropped));
	assert_int_equal(dropped, 6);
	scene_assert_sums(view);
	for (uint32_t i = 0; i < view_count(view, METRIC_PROCESS); i++)
		assert_false(view_process(view, i)->flags & PROCESS_EXPORTED);
}

/* The counters of rows with series and of "(other)" sum up to the host's. */
static void assert_counters(const struct view *view)
{
	for (int scope = METRIC_USER; scope < METRIC_OWNERS_END; scope++) {
		uint64_t sum = 0;

		for (uint32_t i = 0; i < view_count(view, (enum metric_scope)scope); i++) {
			const struct snapshot_scope *row = view_scope(
				view, (enum metric_scope)scope, i);

			if (row->flags & (SCOPE_OTHER | SCOPE_EXPORTED))
				sum += row->q[SCOPE_VM_HWM_GROWTH];
		}
		assert_int_equal(sum, view_host(view)->q[SCOPE_VM_HWM_GROWTH]);
	}
}

/* Makes all processes of the cast grow by GROWTH_KIB, and adds MORE processes. */
static void grow_cast(const struct scene *s, uint64_t growth_kib, unsigned int more)
{
	for (size_t i = 0; i < CAST_SIZE; i++) {
		struct tree_process p = cast[i];

		p.hwm_kib = p.rss_kib + growth_kib;
		tree_add(&s->tree, &p);
	}
	for (unsigned int i = 0; i < more; i++) {
		char name[16], unit[32];
		struct tree_process p = {.pid = (pid_t)(1000 + i),
			.name = name,
			.uid = 5000 + i,
			.image = 1,
			.rss_kib = 8,
			.pss_kib = 4,
			.cgroup = unit};

		snprintf(name, sizeof(name), "more%u", i);
		snprintf(unit, sizeof(unit), "/more%u.service", i);
		tree_add(&s->tree, &p);
	}
}

/* A pass that fails after counting has counted in every table. */
static void lost_passes_count_everywhere(void **state)
{
	struct pass_options few = run_exact;
	unsigned int failures = 0;

	(void)state;
	for (size_t i = 0; i < OWNER_KINDS; i++)
		few.export_owners[i] = 1;
	for (unsigned int n = 1;; n++) {
		AUTO_SCENE struct scene s;
		AUTO_VIEW struct view *first = NULL, *view = NULL;
		AUTO_CLOSE int fd = -1;

		scene_open(&s, false);
		pass_set_options(s.pass, &few);
		grow_cast(&s, 1, 0);
		first = run_pass(s.pass);
		assert_counters(first);
		grow_cast(&s, 100, 12);
		allocation_fail_at(n);
		run_try(s.pass, &fd);
		if (!allocation_end())
			break;
		failures++;
		grow_cast(&s, 300, 0);
		view = run_pass(s.pass);
		scene_assert_sums(view);
		assert_counters(view);
	}
	assert_true(failures > 50);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(counts_growth),
		cmocka_unit_test(counters_outlive_processes),
		cmocka_unit_test(exports_the_largest),
		cmocka_unit_test(lost_passes_count_everywhere),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
