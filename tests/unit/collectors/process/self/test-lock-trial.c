/* SPDX-License-Identifier: Apache-2.0 */
/* Tests the mmap lock trial: its decision from given tries, and a real trial on this kernel. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include <signal.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/number.h"
#include "collectors/adaptive/page-walks.h"
#include "collectors/process/self/lock-trial.h"

#define MSEC NS_PER_MSEC

/* Each case has COUNT equal tries and one other. */
static void decides_by_all_tries(void **state)
{
	const struct lock_trial_try passed = {4 * MSEC, 5 * MSEC, 100, MSEC / 2};
	const struct lock_trial_try waited = {4 * MSEC, 4 * MSEC, 1, MSEC};
	const struct lock_trial_try between = {4 * MSEC, 4 * MSEC, 2000, MSEC / 2 + 1};
	const struct lock_trial_try asleep = {4 * MSEC, 4 * MSEC, 99, 0};
	const struct lock_trial_try late = {4 * MSEC, 5 * MSEC + 1, 2000, 0};
	const struct lock_trial_try brief = {MSEC - 1, MSEC, 2000, 0};
	const struct lock_trial_try brief_wait = {MSEC - 1, MSEC, 1, MSEC};
	const struct {
		struct lock_trial_try tries, other;
		size_t count;
		enum lock_trial_verdict verdict;
	} cases[] = {
		{passed, passed, 7, LOCK_TRIAL_NO},
		{passed, passed, 3, LOCK_TRIAL_NO},
		{passed, passed, 2, LOCK_TRIAL_UNKNOWN},
		{passed, asleep, 4, LOCK_TRIAL_NO}, /* the other try proves nothing */
		{passed, asleep, 3, LOCK_TRIAL_UNKNOWN},
		{passed, waited, 7, LOCK_TRIAL_UNKNOWN}, /* may be by accident */
		{passed, between, 7, LOCK_TRIAL_UNKNOWN},
		{waited, passed, 1, LOCK_TRIAL_UNKNOWN},
		{waited, passed, 2, LOCK_TRIAL_YES},
		{waited, waited, 1, LOCK_TRIAL_YES},
		{asleep, asleep, 7, LOCK_TRIAL_UNKNOWN},
		{late, late, 7, LOCK_TRIAL_UNKNOWN},
		{brief, brief, 7, LOCK_TRIAL_UNKNOWN},
		{brief_wait, brief_wait, 7, LOCK_TRIAL_UNKNOWN},
		{between, between, 7, LOCK_TRIAL_UNKNOWN},
	};

	(void)state;
	assert_int_equal(lock_trial_judge(NULL, 0), LOCK_TRIAL_UNKNOWN);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct lock_trial_try tries[LOCK_TRIAL_TRIES];

		for (size_t n = 0; n < cases[i].count; n++)
			tries[n] = cases[i].tries;
		tries[cases[i].count] = cases[i].other;
		if (lock_trial_judge(tries, cases[i].count + 1) != cases[i].verdict)
			fail_msg("case %zu", i);
	}
}

static void pause_a_little(void)
{
	const struct timespec pause = {.tv_nsec = 5 * MSEC};

	nanosleep(&pause, NULL);
}

/* Up to Linux 6.18 a walk over one mapping holds the lock to its end. */
static bool is_known_to_disturb(void)
{
	uint64_t major, minor;
	struct utsname name;
	int n;

	if (uname(&name) < 0)
		return false;
	n = number_scan_u64(name.release, strlen(name.release), &major);
	return n > 0 && name.release[n] == '.' &&
	       number_scan_u64(name.release + n + 1, strlen(name.release + n + 1), &minor) > 0 &&
	       major * 1000 + minor <= 6018;
}

/*
 * Both processes of a try need a CPU of their own for some milliseconds. The load is the average of
 * the last minute.
 */
static bool is_busy(void)
{
	double load;

	return getloadavg(&load, 1) == 1 && 2 * load >= (double)sysconf(_SC_NPROCESSORS_ONLN);
}

static void tries_on_this_kernel(void **state)
{
	unsigned int before = unit_descriptors();
	struct lock_trial d;
	uint64_t cpu_ns = 0, begin_ns = clock_now_ns(CLOCK_MONOTONIC);

	(void)state;
	lock_trial_init(&d);
	assert_false(lock_trial_answer(&d, &cpu_ns)); /* no trial was started */
	for (int i = 0; i < 9 && d.verdict == LOCK_TRIAL_UNKNOWN; i++) {
		d.asked = 0;
		assert_int_equal(lock_trial_ask(&d), 0);
		assert_int_equal(lock_trial_ask(&d), 0); /* one call is enough */
		assert_int_equal(d.asked, 1);
		while (!lock_trial_answer(&d, &cpu_ns)) {
			assert_true(clock_now_ns(CLOCK_MONOTONIC) < begin_ns + 120 * NS_PER_SEC);
			pause_a_little();
		}
		assert_true(cpu_ns > MSEC && cpu_ns < 10 * NS_PER_SEC);
	}
	print_message("verdict %d, %u ms of CPU\n", (int)d.verdict, (unsigned int)(cpu_ns / MSEC));
	if (d.verdict == LOCK_TRIAL_UNKNOWN && is_busy()) {
		lock_trial_done(&d);
		skip();
	}
	if (is_known_to_disturb())
		assert_int_equal(d.verdict, LOCK_TRIAL_YES);
	assert_int_equal(unit_descriptors(), before);
	d.asked = 0;
	if (d.verdict != LOCK_TRIAL_UNKNOWN)
		assert_int_equal(lock_trial_ask(&d), 0);
	assert_int_equal(d.pid, 0); /* the verdict is known */
	lock_trial_done(&d);
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1); /* no child is left */
}

static void gives_up_without_a_result(void **state)
{
	struct lock_trial d;
	uint64_t cpu_ns;

	(void)state;
	lock_trial_init(&d);
	for (int i = 0; i < 5; i++) {
		assert_int_equal(lock_trial_ask(&d), 0);
		if (!d.pid)
			continue;
		kill(d.pid, SIGKILL);
		while (!lock_trial_answer(&d, &cpu_ns))
			pause_a_little();
		assert_int_equal(d.verdict, LOCK_TRIAL_UNKNOWN);
	}
	assert_int_equal(d.asked, 3);
	assert_int_equal(d.pid, 0);

	/* The end does not wait for the trial either. */
	lock_trial_init(&d);
	assert_int_equal(lock_trial_ask(&d), 0);
	lock_trial_done(&d);
	assert_int_equal(d.fd, -1);
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
}

/* If walks do not disturb, even the largest one is made at once. Its cost still counts. */
static void needs_no_slices_if_walks_do_not_disturb(void **state)
{
	struct tracked w = {.seen.resident = (UINT64_C(64) << 30) / 4096};
	struct cpu_budget budget;
	struct page_walk_forecast f;
	struct page_walks s;

	(void)state;
	cpu_budget_init(&budget, CPU_BUDGET_PPM_MAX, 0);
	page_walks_init(&s, NULL, &budget, 4096);
	s.stall_ns = 20 * MSEC;
	f = page_walks_forecast(&s, &w);
	assert_true(f.way == WALK_COST_SLICES || f.is_giant);
	s.is_undisturbing = true;
	f = page_walks_forecast(&s, &w);
	assert_int_equal(f.way, WALK_COST_ROLLUP);
	assert_false(f.is_giant);
	assert_int_equal(f.prediction.hold_ns, 0);
	assert_true(f.prediction.cpu_ns > 100 * MSEC);
	page_walks_done(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(decides_by_all_tries),
		cmocka_unit_test(tries_on_this_kernel),
		cmocka_unit_test(gives_up_without_a_result),
		cmocka_unit_test(needs_no_slices_if_walks_do_not_disturb),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
