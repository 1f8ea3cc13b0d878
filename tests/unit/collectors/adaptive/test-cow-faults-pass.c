/* SPDX-License-Identifier: Apache-2.0 */
/* Tests how adaptive passes use fault counters, over a simulated /proc. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include <stdio.h>

#include "base/clock.h"
#include "tests/unit/support/tree/adaptive.h"
#include "tests/unit/support/tree/run.h"

/*
 * A write to shared memory moves no counter except that of faults. The process that faulted is
 * measured. Then, because it has more private memory, the other sharer is measured, which has no
 * faults.
 */
static void faults_reveal_writes(void **state)
{
	/* with this age, faults are read in every second interval */
	AUTO_ADAPTIVE struct adaptive *s = adaptive_new_within(40 * NS_PER_SEC);
	AUTO_VIEW struct view *view = NULL;
	struct tree_process p = adaptive_worker;

	(void)state;
	for (; p.pid < 32; p.pid++) {
		adaptive_add_anon(s, &p);
		tree_set_faults(&s->tree, p.pid, 5000);
	}
	view_unref(adaptive_pass(s));
	view_unref(adaptive_pass(s));
	assert_int_equal(s->opened[OPENED_ROLLUP].count, 0);
	p.pss_kib = p.uss_kib = 10000;
	for (p.pid = 30; p.pid < 32; p.pid++) {
		adaptive_add_anon(s, &p);
		tree_set_faults(&s->tree, p.pid, p.pid == 30 ? 5000 + 2250 : 5000);
	}
	view = adaptive_pass(s);
	assert_int_equal(s->opened[OPENED_ROLLUP].count, 1);
	assert_int_equal(adaptive_row(view, 30)->q[PROCESS_PSS], 10000 * 1024);
	assert_true(adaptive_row(view, 31)->q[PROCESS_PSS_HIGH] >= 10000 * 1024);
	adaptive_again(s, &view);
	assert_int_equal(s->opened[OPENED_ROLLUP].count, 1);
	assert_int_equal(adaptive_row(view, 31)->q[PROCESS_PSS], 10000 * 1024);
	view_unref(adaptive_pass(s));
	assert_int_equal(s->opened[OPENED_ROLLUP].count, 0);
}

/*
 * Memory that a writer has copied is its own. If another member exits at the same time, the
 * writer's measurement does not correct the others' guesses.
 */
static void a_writer_corrects_no_other(void **state)
{
	AUTO_ADAPTIVE struct adaptive *s = adaptive_new_within(40 * NS_PER_SEC);
	AUTO_VIEW struct view *view = NULL;
	struct tree_process p = adaptive_worker;

	(void)state;
	p.uss_kib = 8000;
	p.pss_kib = 8000 + 2000 / 10; /* other processes share the rest */
	for (; p.pid < 50; p.pid++) {
		adaptive_add_anon(s, &p);
		tree_set_faults(&s->tree, p.pid, 5000);
	}
	view_unref(adaptive_pass(s));
	view_unref(adaptive_pass(s));
	tree_remove(&s->tree, "49");
	p.pid = 30;
	p.uss_kib = 9900;
	p.pss_kib = 9900 + 100 / 19;
	adaptive_add_anon(s, &p);
	tree_set_faults(&s->tree, p.pid, 5000 + 1900 / 4);
	view = adaptive_pass(s);
	assert_in_range(s->opened[OPENED_ROLLUP].count, 1, 6);
	assert_int_equal(adaptive_row(view, 30)->q[PROCESS_PSS], p.pss_kib * 1024);
	for (uint32_t pid = 31; pid < 49; pid++) {
		const struct snapshot_process *row = adaptive_row(view, pid);

		if (row->q[PROCESS_PSS_AGE] < NS_PER_SEC && row->source != SOURCE_ESTIMATE)
			continue; /* measured again because it was due */
		/*
		 * Of 19 possible sharers one exited, and one copied: a tenth more, of 200 KiB.
		 * Somewhat less if the exit was found so late that an unlisted sharer cannot be the
		 * exited one.
		 */
		assert_in_range(row->q[PROCESS_PSS] / 1024, 8208, 8225);
	}
}

static void set_anon_pages(struct adaptive *s, unsigned int kib)
{
	char text[128];

	snprintf(text, sizeof(text), "MemTotal: 1000000 kB\nAnonPages: %u kB\nMapped: 100000 kB\n",
		kib);
	tree_write(&s->tree, "meminfo", text);
}

/*
 * If the host's sum shows a write, the same pass finds the writer, even if its reading was not due.
 */
static void the_host_sum_raises_an_alarm(void **state)
{
	AUTO_ADAPTIVE struct adaptive *s = adaptive_new(&run_adaptive);
	AUTO_VIEW struct view *view = NULL;
	struct tree_process p = adaptive_worker;
	uint32_t writer = 30;

	(void)state;
	s->pass->procfs.is_whole = true;
	s->pass->adaptive.host_check.cpus = 1;
	p.pss_kib = 1750; /* 9000 KiB are shared by all twelve */
	for (; p.pid < 42; p.pid++) {
		adaptive_add_anon(s, &p);
		tree_set_faults(&s->tree, p.pid, 5000);
	}
	set_anon_pages(s, 200000);
	for (int pass = 0; pass < 2; pass++) {
		view_unref(adaptive_pass(s));
		adaptive_plan(s, 1);
	}
	writer += (writer + s->pass->adaptive.sharing_state.faults.turn + 1) % 3 == 0;
	tree_set_faults(&s->tree, (pid_t)writer, 5000 + 2250);
	set_anon_pages(s, 209000);
	view = adaptive_pass(s);
	assert_int_equal(s->opened[OPENED_ROLLUP].count, 0);
	assert_true(adaptive_row(view, writer)->q[PROCESS_PSS_HIGH] >= 10000 * 1024);
}

/* Faults that were no writes count less each time. */
static void faults_for_nothing_count_less(void **state)
{
	AUTO_ADAPTIVE struct adaptive *s = adaptive_new_within(40 * NS_PER_SEC);
	struct tree_process p = adaptive_worker;
	unsigned int measured = 0;

	(void)state;
	adaptive_add_anon(s, &p);
	tree_set_faults(&s->tree, 30, 0);
	view_unref(adaptive_pass(s));
	for (unsigned int pass = 1; pass < 20; pass++) {
		tree_set_faults(&s->tree, 30, pass * 1000);
		view_unref(adaptive_pass(s));
		measured += s->opened[OPENED_ROLLUP].count;
	}
	assert_in_range(measured, 2, 8);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(faults_reveal_writes),
		cmocka_unit_test(a_writer_corrects_no_other),
		cmocka_unit_test(the_host_sum_raises_an_alarm),
		cmocka_unit_test(faults_for_nothing_count_less),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
