/* SPDX-License-Identifier: Apache-2.0 */
/* Tests the figure for the longest time without a measurement, at the end of adaptive passes. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include <errno.h>

#include "base/clock.h"
#include "tests/unit/support/tree/adaptive.h"
#include "tests/unit/support/tree/run.h"

/*
 * Returns the longest time (s) that a process of VIEW has not been measured; -1: no process is to
 * be measured.
 */
static int64_t longest_s(const struct view *view)
{
	const struct snapshot_self *self = view_self(view);

	return ROW_HAS(self, SELF_LONGEST_UNMEASURED)
	               ? (int64_t)(self->q[SELF_LONGEST_UNMEASURED] / NS_PER_SEC)
	               : -1;
}

static struct tracked *watch_of(const struct adaptive *s, pid_t pid)
{
	const struct process_table *t = &s->pass->table;

	for (size_t i = 0; i < t->count; i++)
		if (t->item[i]->pid == pid)
			return t->item[i]->tracked;
	fail_msg("there is no %d", pid);
	return NULL;
}

/*
 * The time runs from the last measurement, or from the first sight. Processes with an age of their
 * own, or that may not be measured, do not count.
 */
static void reports_the_longest_wait(void **state)
{
	AUTO_ADAPTIVE struct adaptive *s = adaptive_new(&run_adaptive);
	struct tree_process giant = adaptive_large;
	AUTO_VIEW struct view *view = adaptive_pass(s);

	(void)state;
	assert_int_equal(view_self(view)->q[SELF_MAX_AGE], run_adaptive.max_age_ns);
	assert_int_equal(longest_s(view), 0);
	watch_of(s, 11)->measured_ns -= 77 * NS_PER_SEC;
	watch_of(s, 12)->measured_ns -= 55 * NS_PER_SEC;
	adaptive_again(s, &view);
	assert_in_range(longest_s(view), 77, 100);
	giant.rss_kib = giant.pss_kib = giant.uss_kib = 8 << 20; /* in one mapping */
	adaptive_add(s, &giant, 0);
	adaptive_add_mappings(s, &giant, 1);
	for (unsigned int pass = 0; pass < 2; pass++) {
		adaptive_again(s, &view);
		adaptive_turns(s);
	}
	watch_of(s, 50)->measured_ns -= 150 * NS_PER_SEC;
	adaptive_again(s, &view);
	assert_in_range(view_self(view)->q[SELF_OLDEST_AGE], 150 * NS_PER_SEC, 173 * NS_PER_SEC);
	assert_in_range(longest_s(view), 77, 100);
	/* in mappings that can be sliced, which takes until after the pass */
	giant = adaptive_large;
	giant.pid = 51;
	giant.image = 51;
	adaptive_add(s, &giant, 0);
	adaptive_again(s, &view);
	assert_false(ROW_HAS(adaptive_row(view, 51), PROCESS_PSS_AGE));
	watch_of(s, 51)->first_ns -= 110 * NS_PER_SEC;
	adaptive_again(s, &view);
	assert_in_range(longest_s(view), 110, 133);
}

/* A maximum age below the interval acts as the interval: no process is overdue because of it. */
static void the_interval_is_the_least_age(void **state)
{
	struct pass_options often = run_adaptive;
	AUTO_ADAPTIVE struct adaptive *s = NULL;
	AUTO_VIEW struct view *view = NULL;

	(void)state;
	often.max_age_ns = often.interval_ns - NS_PER_SEC;
	s = adaptive_new(&often);
	view = adaptive_pass(s);
	assert_int_equal(view_self(view)->q[SELF_MAX_AGE], often.interval_ns);
}

/* If no process may be measured, the figure is absent. */
static void denied_processes_do_not_wait(void **state)
{
	AUTO_ADAPTIVE struct adaptive *s = adaptive_new(&run_adaptive);
	AUTO_VIEW struct view *view = NULL;

	(void)state;
	s->opened[OPENED_ROLLUP].error = EACCES;
	view = adaptive_pass(s);
	assert_int_equal(longest_s(view), -1);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(reports_the_longest_wait),
		cmocka_unit_test(the_interval_is_the_least_age),
		cmocka_unit_test(denied_processes_do_not_wait),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
