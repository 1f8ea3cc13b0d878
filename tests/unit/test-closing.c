/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "tests/unit/unit.h"

#include <errno.h>

#include "base/clock.h"
#include "tests/unit/adaptive.h"
#include "tests/unit/run.h"

/* What VIEW says: for how many seconds some process has had no measurement; -1: there is none that is to have one. */
static int64_t longest_s(const struct view *view)
{
	const struct snapshot_self *self = view_self(view);

	return ROW_HAS(self, SELF_LONGEST_UNMEASURED)
	               ? (int64_t)(self->q[SELF_LONGEST_UNMEASURED] / NS_PER_SEC)
	               : -1;
}

static struct watch *watch_of(const struct adaptive *s, pid_t pid)
{
	const struct proctable *t = &s->pass->table;

	for (size_t i = 0; i < t->count; i++)
		if (t->item[i]->pid == pid)
			return t->item[i]->watch;
	fail_msg("there is no %d", pid);
	return NULL;
}

/* Since it was measured last, or was seen first; one that has an age of its own, or may not be measured, apart. */
static void says_how_long_one_has_not_been_measured(void **state)
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
	giant = adaptive_large; /* in mappings that can be sliced, which takes until after the pass */
	giant.pid = 51;
	giant.image = 51;
	adaptive_add(s, &giant, 0);
	adaptive_again(s, &view);
	assert_false(ROW_HAS(adaptive_row(view, 51), PROCESS_PSS_AGE));
	watch_of(s, 51)->first_ns -= 110 * NS_PER_SEC;
	adaptive_again(s, &view);
	assert_in_range(longest_s(view), 110, 133);
}

/* A maximum age below the interval is as good as the interval, and nobody is late for it. */
static void no_age_is_below_the_interval(void **state)
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

/* Of a host on which nothing may be measured there is nothing to say. */
static void nobody_waits_who_may_not_be_measured(void **state)
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
		cmocka_unit_test(says_how_long_one_has_not_been_measured),
		cmocka_unit_test(no_age_is_below_the_interval),
		cmocka_unit_test(nobody_waits_who_may_not_be_measured),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
