/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of collectors/pass/pass-activity.h: what namegroups show of what their processes do. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include <errno.h>
#include <inttypes.h>

#include "base/clock.h"
#include "collectors/pass/pass-private.h"
#include "naming/rules.h"
#include "tests/unit/support/tree/run.h"
#include "tests/unit/support/tree/tree.h"

#define RULES "process_names:\n- comm: [web]\n  name: web\n"

/* Clock ticks after any pass of the tests has begun. */
#define LATER (UINT64_C(1) << 40)

struct scene {
	struct tree tree;
	struct pass *pass;
	struct tree_event opened; /* stat and vmstat, since the last pass began */
};

static void scene_open(struct scene *s, const struct pass_options *options, bool reads_activity)
{
	char error[NAMING_ERRORS_SIZE] = "";
	struct pass_options o = *options;
	struct naming_rules *rules;

	*s = (struct scene){.opened = {.suffix = "stat"}};
	tree_expect(NULL, 0);
	tree_open(&s->tree);
	tree_write(&s->tree, "stat", "cpu  1 2 3\nbtime 1700000000\nprocesses 7\n");
	tree_write(&s->tree, "meminfo", "MemTotal: 1000000 kB\nMemAvailable: 600000 kB\n");
	o.procfs = s->tree.path;
	o.reads_activity = reads_activity;
	assert_int_equal(pass_open(&o, &s->pass), 0);
	assert_int_equal(naming_rules_parse("rules.yaml", RULES, strlen(RULES), &rules, error), 0);
	pass_set_naming(s->pass, rules);
}

static void scene_done(struct scene *s)
{
	tree_expect(NULL, 0);
	pass_free(s->pass);
	tree_done(&s->tree);
}
#define AUTO_SCENE CLEANUP(scene_done)

/* Sets stat of PID, which has started at START_TICKS and has done N of everything. */
static void set_stat(const struct scene *s, pid_t pid, char state, uint64_t start_ticks, unsigned n)
{
	char path[32], text[256];

	snprintf(path, sizeof(path), "%d/stat", pid);
	snprintf(text, sizeof(text),
		"%d (web) %c 1 5 6 7 8 9 %u 11 %u 13 %u %u 16 17 18 19 20 21 %" PRIu64
		" 23 24 25 0 27 28 29\n",
		pid, state, 4 * n, 3 * n, n, 2 * n, start_ticks);
	tree_write(&s->tree, path, text);
}

/* Adds the process PID of group web. */
static void add(const struct scene *s, pid_t pid, char state, uint64_t start_ticks, unsigned n)
{
	const struct tree_process p = {.pid = pid,
		.name = "web",
		.start_ticks = start_ticks,
		.rss_kib = 1000,
		.pss_kib = 100,
		.uss_kib = 10,
		.cmdline = "web"};
	char path[32];

	tree_add(&s->tree, &p);
	set_stat(s, pid, state, start_ticks, n);
	snprintf(path, sizeof(path), "%d/statm", pid);
	tree_write(&s->tree, path, "3000 250 200 0 0 0 0\n");
}

static struct view *run(struct scene *s)
{
	s->opened.count = 0;
	tree_expect(&s->opened, 1);
	return run_pass(s->pass);
}

static const struct snapshot_scope *group(const struct view *view)
{
	for (uint32_t i = 0; i < view_count(view, METRIC_NAMEGROUP); i++) {
		const struct snapshot_scope *row = view_scope(view, METRIC_NAMEGROUP, i);

		if (!strcmp(view_text(view, row->name), "web"))
			return row;
	}
	fail_msg("there is no group web");
	return NULL;
}

/* Asserts that the group has done N of everything since the first pass. */
static void assert_done(const struct snapshot_scope *row, unsigned n)
{
	uint64_t tick_ns = NS_PER_SEC / (uint64_t)sysconf(_SC_CLK_TCK);

	assert_true(ROW_HAS(row, SCOPE_CPU_USER) && ROW_HAS(row, SCOPE_CPU_SYSTEM));
	assert_int_equal(row->q[SCOPE_CPU_USER], n * tick_ns);
	assert_int_equal(row->q[SCOPE_CPU_SYSTEM], 2 * n * tick_ns);
	assert_true(ROW_HAS(row, SCOPE_MAJOR_FAULTS) && ROW_HAS(row, SCOPE_MINOR_FAULTS));
	assert_int_equal(row->q[SCOPE_MAJOR_FAULTS], 3 * n);
	assert_int_equal(row->q[SCOPE_MINOR_FAULTS], 4 * n);
}

static void assert_states(const struct snapshot_scope *row, unsigned running, unsigned sleeping)
{
	assert_true(ROW_HAS(row, SCOPE_RUNNING) && ROW_HAS(row, SCOPE_SLEEPING));
	assert_int_equal(row->q[SCOPE_RUNNING], running);
	assert_int_equal(row->q[SCOPE_SLEEPING], sleeping);
	assert_int_equal(row->q[SCOPE_WAITING] + row->q[SCOPE_OTHER_STATE], 0);
}

static void assert_no_states(const struct snapshot_scope *row)
{
	for (unsigned int i = SCOPE_RUNNING; i <= SCOPE_OTHER_STATE; i++)
		assert_false(ROW_HAS(row, i));
}

static const struct pass_options *const modes[] = {&run_exact, &run_adaptive};

/* An adaptive pass reads stat, although statm has not moved. */
static void counters_begin_with_the_first_pass(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(modes); i++) {
		AUTO_SCENE struct scene s;
		AUTO_VIEW struct view *first = NULL, *second = NULL, *third = NULL;

		scene_open(&s, modes[i], true);
		add(&s, 10, 'S', 10, 500);
		first = run(&s);
		assert_done(group(first), 0);
		assert_states(group(first), 0, 1);
		set_stat(&s, 10, 'R', 10, 507);
		second = run(&s);
		assert_done(group(second), 7);
		assert_states(group(second), 1, 0);
		add(&s, 20, 'S', LATER, 5); /* it has started since */
		third = run(&s);
		assert_done(group(third), 7 + 5);
		assert_states(group(third), 1, 1);
	}
}

static void counters_outlive_processes(void **state)
{
	AUTO_SCENE struct scene s;
	AUTO_VIEW struct view *view = NULL;

	(void)state;
	scene_open(&s, &run_adaptive, true);
	add(&s, 10, 'S', 10, 500);
	add(&s, 20, 'S', 20, 500);
	view_unref(run(&s));
	set_stat(&s, 20, 'S', 20, 502);
	view_unref(run(&s));
	tree_remove(&s.tree, "20");
	view = run(&s);
	assert_done(group(view), 2);
	assert_states(group(view), 0, 1);
}

/*
 * A process that exits keeps its counts until it is removed, which frees them. Another process with
 * its pid does not continue them.
 */
static void zombie_keeps_its_counts(void **state)
{
	const struct tree_process zombie = {.pid = 10, .name = "web", .state = 'Z', .cmdline = ""};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(modes); i++) {
		AUTO_SCENE struct scene s;
		AUTO_VIEW struct view *view = NULL;
		const struct activity *activity;

		scene_open(&s, modes[i], true);
		add(&s, 10, 'S', 10, 500);
		add(&s, 20, 'S', 20, 500);
		view_unref(run(&s));
		activity = s.pass->table.item[0]->activity;
		assert_non_null(activity);
		tree_add(&s.tree, &zombie);
		tree_write(&s.tree, "10/statm", "0 0 0 0 0 0 0\n");
		view_unref(run(&s));
		assert_ptr_equal(s.pass->table.item[0]->activity, activity);
		add(&s, 10, 'S', LATER, 5);
		view = run(&s);
		assert_done(group(view), 5);
	}
}

/* Its group still has all states. */
static void process_exits_after_its_sample(void **state)
{
	AUTO_SCENE struct scene s;
	AUTO_VIEW struct view *view = NULL;
	const struct snapshot_scope *row;

	(void)state;
	scene_open(&s, &run_adaptive, true);
	add(&s, 10, 'S', 10, 500);
	view_unref(run(&s));
	set_stat(&s, 10, 'S', 10, 503);
	s.opened.error = ESRCH;
	view = run(&s);
	row = group(view);
	assert_done(row, 0);
	assert_true(ROW_HAS(row, SCOPE_OTHER_STATE) && ROW_HAS(row, SCOPE_SLEEPING));
	assert_int_equal(row->q[SCOPE_OTHER_STATE], 1);
	assert_int_equal(row->q[SCOPE_SLEEPING], 0);
}

/* Its counts are added later. Its state is not known, and those of the others are not the whole. */
static void unread_process_is_made_up_for(void **state)
{
	AUTO_SCENE struct scene s;
	AUTO_VIEW struct view *unread = NULL, *read = NULL;

	(void)state;
	scene_open(&s, &run_adaptive, true);
	add(&s, 10, 'S', 10, 500);
	view_unref(run(&s));
	set_stat(&s, 10, 'S', 10, 503);
	s.opened.error = EACCES;
	unread = run(&s);
	assert_done(group(unread), 0);
	assert_no_states(group(unread));
	s.opened.error = 0;
	read = run(&s);
	assert_done(group(read), 3);
	assert_states(group(read), 0, 1);
}

static void nothing_is_read_unless_asked_for(void **state)
{
	AUTO_SCENE struct scene s, other;
	AUTO_VIEW struct view *with = NULL, *without = NULL;

	(void)state;
	scene_open(&s, &run_adaptive, true);
	add(&s, 10, 'S', 10, 500);
	view_unref(run(&s));
	with = run(&s);
	scene_open(&other, &run_adaptive, false);
	add(&other, 10, 'S', 10, 500);
	view_unref(run(&other));
	without = run(&other);
	assert_int_equal(s.opened.count, other.opened.count + 1);
	assert_false(ROW_HAS(group(without), SCOPE_CPU_USER));
	assert_false(ROW_HAS(group(without), SCOPE_SLEEPING));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(counters_begin_with_the_first_pass),
		cmocka_unit_test(counters_outlive_processes),
		cmocka_unit_test(zombie_keeps_its_counts),
		cmocka_unit_test(process_exits_after_its_sample),
		cmocka_unit_test(unread_process_is_made_up_for),
		cmocka_unit_test(nothing_is_read_unless_asked_for),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
