/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests adaptive passes as a whole over a simulated /proc: processes that exit, execute or cannot
 * be read during a pass, and passes without memory.
 */
#include "config.h"

#include "tests/unit/support/unit.h"

#include <errno.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/clock.h"
#include "collectors/adaptive/adaptive-pass.h"
#include "tests/unit/support/faults/allocation.h"
#include "tests/unit/support/tree/adaptive.h"
#include "tests/unit/support/tree/run.h"

static void reuse_pid(void *s_)
{
	static const struct tree_process other = {.pid = 30,
		.image = 98,
		.name = "other",
		.uid = 1002,
		.start_ticks = 777,
		.rss_kib = 3000,
		.pss_kib = 2900,
		.uss_kib = 2800};
	struct adaptive *s = s_;

	adaptive_add(s, &other, 0);
}

/*
 * Beyond the limit of descriptors a pid may belong to another process in the middle of a pass. The
 * pass goes on, and the next one finds the new process.
 */
static void a_pid_may_be_reused_in_a_pass(void **state)
{
	struct pass_options always = run_adaptive;
	struct tree_event taken[] = {{.suffix = "30", .nth = 2, .call = reuse_pid}};
	struct rlimit limit, low;
	struct adaptive *s = NULL;
	struct view *view;
	struct tree_process p = adaptive_worker;
	int fd;

	(void)state;
	p.uid = 1001;
	/*
	 * The share count of the rest is then not a whole number, so no measurement is due because
	 * of it.
	 */
	p.uss_kib = 2000;
	getrlimit(RLIMIT_NOFILE, &limit);
	low = limit;
	low.rlim_cur = 64; /* too low for kept descriptors */
	setrlimit(RLIMIT_NOFILE, &low);
	always.max_age_ns = 40 * NS_PER_SEC; /* with this age, faults are read in each pass */
	s = adaptive_new(&always);
	setrlimit(RLIMIT_NOFILE, &limit);
	adaptive_add_anon(s, &p);
	tree_set_faults(&s->tree, 30, 5000);
	view_unref(adaptive_pass(s));
	taken[0].to = s;
	tree_expect(taken, 1);
	assert_int_equal(pass_begin(s->pass), 0);
	assert_int_equal(run_steps(s->pass), 0);
	assert_true(taken[0].count >= 2);
	assert_int_equal(pass_publish(s->pass, false, &fd, &(int){-1}), 0);
	view = run_view(fd);
	close(fd);
	assert_int_equal(adaptive_row(view, 30)->uid, 1001);
	assert_int_equal(adaptive_row(view, 30)->q[PROCESS_PSS], 5500 * 1024);
	view_unref(view);
	view = adaptive_pass(s);
	assert_int_equal(adaptive_row(view, 30)->uid, 1002);
	assert_string_equal(view_owner(view, adaptive_row(view, 30), OWNER_PROGRAM), "other");
	assert_int_equal(adaptive_row(view, 30)->q[PROCESS_PSS], 2900 * 1024);
	view_unref(view);
	adaptive_done(&s);
}

/*
 * The statm of a dead leader is 0. memtallyd finds a live thread once, and does not read status
 * again in each pass.
 */
static void reads_a_thread_if_the_leader_is_dead(void **state)
{
	static const struct tree_process leader = {
		.pid = 12, .image = 12, .name = "bash", .state = 'Z', .uid = 1000, .threads = 2};
	AUTO_ADAPTIVE struct adaptive *s = adaptive_new(&run_adaptive);
	struct tree_process thread = adaptive_cast[3];

	(void)state;
	thread.threads = 2;
	view_unref(adaptive_pass(s));
	tree_add(&s->tree, &leader);
	tree_write(&s->tree, "12/statm", "0 0 0 0 0 0 0\n");
	tree_add_at(&s->tree, "12/task/44", &thread);
	tree_write(&s->tree, "12/task/44/statm", "5000 1250 975 0 0 0 0\n");
	for (unsigned int pass = 0; pass < 4; pass++) {
		AUTO_VIEW struct view *view = adaptive_pass(s);

		adaptive_assert_quiet(adaptive_row(view, 12), &adaptive_cast[3]);
		if (pass > 1)
			assert_int_equal(adaptive_looks(s), 0);
	}
}

static const struct tracked *watch_of(const struct adaptive *s, pid_t pid)
{
	const struct process_table *t = &s->pass->table;
	size_t i = 0;

	while (i < t->count && t->item[i]->pid != pid)
		i++;
	assert_true(i < t->count);
	return t->item[i]->tracked;
}

/*
 * A process that exits stays in its fork family until its memory is free. Until then that memory
 * counts as being freed, and as no process's own.
 */
static void keeps_exiting_processes_apart(void **state)
{
	AUTO_ADAPTIVE struct adaptive *s = adaptive_new(&run_adaptive);
	struct tree_process exiting = adaptive_cast[2];
	const struct host_check *h = &s->pass->adaptive.host_check;

	(void)state;
	view_unref(adaptive_pass(s));
	assert_int_equal(h->left, 0);
	exiting.rss_kib = 0;
	exiting.state = 'R';
	tree_add(&s->tree, &exiting);
	tree_write(&s->tree, "11/statm", "0 0 0 0 0 0 0\n");
	for (unsigned int pass = 0; pass < 3; pass++) {
		AUTO_VIEW struct view *view = adaptive_pass(s);

		assert_int_equal(view_count(view, METRIC_PROCESS), 3);
		assert_int_equal(h->left, 8000 * 1024);
		assert_int_equal(watch_of(s, 11)->leaving, 8000 * 1024);
		assert_int_equal(watch_of(s, 11)->image, TRACKED_LEAVING);
		assert_int_equal(watch_of(s, 11)->relations, TRACKED_RELATED);
	}
	exiting.state = 'Z';
	tree_add(&s->tree, &exiting);
	for (unsigned int pass = 0; pass < 2; pass++) {
		view_unref(adaptive_pass(s));
		assert_int_equal(h->left, 0);
		assert_int_equal(watch_of(s, 11)->leaving, 0);
		assert_int_equal(watch_of(s, 11)->image, TRACKED_EMPTY);
		assert_int_equal(watch_of(s, 11)->relations, TRACKED_ALONE);
	}
}

/*
 * Lets the Nth allocation fail, in the first pass or in the second. Returns false if the pass makes
 * fewer allocations.
 */
static bool survives_failure(bool is_second, unsigned int n)
{
	AUTO_ADAPTIVE struct adaptive *s = adaptive_new(&run_adaptive);
	AUTO_VIEW struct view *view = NULL;
	AUTO_CLOSE int fd = -1;
	struct tree_process born = {.pid = 20,
		.image = 20,
		.name = "new",
		.rss_kib = 400,
		.pss_kib = 300,
		.uss_kib = 200};

	if (is_second)
		view_unref(adaptive_pass(s));
	adaptive_add(s, &born, 0);
	tree_remove(&s->tree, "11");
	allocation_fail_at(n);
	tree_expect(s->opened, OPENED_FILES);
	run_try(s->pass, &fd);
	adaptive_plan(s, 1);
	pass_measure(s->pass);
	if (!allocation_end())
		return false;
	view = adaptive_pass(s);
	assert_int_equal(view_host(view)->q[SCOPE_PSS], (ADAPTIVE_PSS_KIB + 300 - 2002) * 1024);
	adaptive_assert_quiet(adaptive_row(view, 12), &adaptive_cast[3]);
	return true;
}

/* Process 13 executes another program. */
static void execute(void *to)
{
	struct tree_process p = adaptive_cast[4];

	p.image = 77;
	p.rss_kib += 4000;
	adaptive_add(to, &p, 0);
}

/*
 * A process executes another program after statm was polled and before status is read. The pass
 * notices: the measurement is of the former image.
 */
static void an_exec_after_a_poll_is_noticed(void **state)
{
	AUTO_ADAPTIVE struct adaptive *s = adaptive_new(&run_adaptive);
	struct tree_event event = {.suffix = "status", .call = execute, .to = s};
	struct pass_options poor = run_adaptive;
	AUTO_VIEW struct view *view = NULL;

	(void)state;
	view = adaptive_pass(s);
	assert_true(ROW_HAS(adaptive_row(view, 13), PROCESS_PSS_AGE));
	poor.budget_cpu_ppm = 1; /* too little to measure anything */
	pass_set_options(s->pass, &poor);
	/* the pass polls all processes, then refreshes all */
	tree_write(&s->tree, "vmstat", "pswpin 5000\npswpout 7000\n");
	tree_expect(&event, 1);
	view_unref(view);
	view = run_pass(s->pass);
	assert_true(event.count > 0);
	assert_false(ROW_HAS(adaptive_row(view, 13), PROCESS_PSS_AGE));
	assert_true(ROW_HAS(adaptive_row(view, 12), PROCESS_PSS_AGE));
}

/* A pass that fails for lack of memory keeps what was known, and leaves no dangling pointer. */
static void survives_without_memory(void **state)
{
	unsigned int first = 1, second = 1;

	(void)state;
	while (survives_failure(false, first))
		first++;
	while (survives_failure(true, second))
		second++;
	assert_true(first > 20 && second > 3);
}

/*
 * If an error prevents a new measurement, the former one keeps its age, and is renewed as soon as
 * possible.
 */
static void errors_keep_the_age(void **state)
{
	static const struct {
		int error;        /* of open() of smaps_rollup */
		const char *text; /* text of smaps_rollup */
	} cases[] = {{EIO, NULL}, {EMFILE, NULL}, {0, "Rss: 1 kB\nPss: 1 MB\n"}};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		AUTO_ADAPTIVE struct adaptive *s = adaptive_new(&run_adaptive);
		const struct tree_process *p = &adaptive_cast[4];
		struct tree_event event = {.suffix = "smaps_rollup", .error = cases[i].error};
		AUTO_VIEW struct view *view = adaptive_pass(s);

		adaptive_again(s, &view);
		nanosleep(&(struct timespec){.tv_sec = 400}, NULL);
		if (cases[i].text)
			tree_write(&s->tree, "13/smaps_rollup", cases[i].text);
		for (unsigned int pass = 0; pass < 2; pass++) {
			tree_expect(&event, 1);
			view_unref(view);
			view = run_pass(s->pass);
			assert_true(event.count > 0);
			event.count = 0;
			assert_int_equal(adaptive_row(view, 13)->source, SOURCE_ESTIMATE);
			assert_int_equal(adaptive_row(view, 13)->outcome, OUTCOME_MEASURED);
			assert_int_equal(adaptive_row(view, 13)->q[PROCESS_PSS], p->pss_kib * 1024);
			assert_true(adaptive_row(view, 13)->q[PROCESS_PSS_AGE] >= 400 * NS_PER_SEC);
			adaptive_plan(s, 10);
		}
		tree_add(&s->tree, p);
		adaptive_again(s, &view);
		assert_int_equal(adaptive_row(view, 13)->source, SOURCE_ROLLUP);
		assert_true(adaptive_row(view, 13)->q[PROCESS_PSS_AGE] < 300 * NS_PER_SEC);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_pid_may_be_reused_in_a_pass),
		cmocka_unit_test(reads_a_thread_if_the_leader_is_dead),
		cmocka_unit_test(keeps_exiting_processes_apart),
		cmocka_unit_test(an_exec_after_a_poll_is_noticed),
		cmocka_unit_test(errors_keep_the_age),
		cmocka_unit_test(survives_without_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
