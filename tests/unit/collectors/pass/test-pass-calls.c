/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fault injection into passes: each system call fails in turn. The snapshot is then right as far
 * as it goes, and the next pass is complete. Passes without memory are tested in test-pass.c and
 * test-adaptive-pass.c.
 */
#include "config.h"

#include "tests/unit/support/unit.h"

#include <time.h>

#include "base/clock.h"
#include "collectors/pass/pass-private.h"
#include "tests/unit/support/faults/injector.h"
#include "tests/unit/support/tree/run.h"
#include "tests/unit/support/tree/witness.h"

enum {
	MANY = 50, /* consecutive failing calls: a third of a pass */
	SOME = 7,  /* calls between two injections; the long check injects at every call */
};

static bool can_inject;

struct scene {
	struct tree tree;
	bool is_adaptive;
};

static void judge(const struct view *view)
{
	const char *wrong = witness_wrong(view);

	if (wrong)
		fail_msg("%s (%s)", wrong, injector_text());
}

/* Asserts that the pass is complete and that nothing is left of a failure. */
static void judge_whole(const struct view *view)
{
	const char *missing;

	judge(view);
	missing = witness_missing(view);
	if (!missing)
		missing = witness_uncharged(view);
	if (missing)
		fail_msg("%s (%s)", missing, injector_text());
}

/* Runs all turns until the next pass is due. */
static void take_turns(struct pass *pass)
{
	struct timespec pause = {.tv_nsec = (long)NS_PER_MSEC};

	pass_plan(pass, clock_now_ns(CLOCK_MONOTONIC) + 100 * NS_PER_SEC);
	for (int i = 0; i < 100; i++) {
		uint64_t now_ns = clock_now_ns(CLOCK_MONOTONIC);
		uint64_t at_ns = pass_next_measure_ns(pass, now_ns);

		if (at_ns == UINT64_MAX)
			break;
		if (at_ns > now_ns && at_ns < now_ns + NS_PER_SEC)
			nanosleep(&pause, NULL);
		(void)pass_measure(pass);
	}
}

typedef int try_with(struct pass *pass, int *ret_fd);

/* Makes a pass by RUN, which may fail, and runs the turns after it. */
static void try_pass_with(struct pass *pass, try_with *run)
{
	AUTO_VIEW struct view *view = NULL;
	AUTO_CLOSE int fd = -1;
	int r = run(pass, &fd);
	bool has_struck = injector_has_struck();

	if (r < 0 && (fd >= 0 || !has_struck))
		fail_msg("%s (%s)", strerror(-r), injector_text());
	if (r == 0) {
		injector_hold();
		view = run_view(fd);
		judge(view);
		injector_go_on();
	}
	take_turns(pass);
}

static void try_pass(struct pass *pass)
{
	try_pass_with(pass, run_try);
}

/*
 * Makes three passes: the first, one without changes, and one after a process has grown; in adaptive
 * mode also a brief one.
 */
static void work(const struct tree *t, struct pass *pass)
{
	try_pass(pass);
	if (pass_may_be_brief(pass))
		try_pass_with(pass, run_try_brief);
	try_pass(pass);
	injector_hold();
	witness_grow(t, true);
	injector_go_on();
	try_pass(pass);
}

/* Fails TIMES calls from the NTH on. Returns false if there are fewer than N. */
static bool survives(const struct injector_sweep *s, unsigned int n, unsigned int way)
{
	const struct scene *scene = s->context;
	const struct tree *t = &scene->tree;
	struct pass_options options = scene->is_adaptive ? run_adaptive : run_exact;
	AUTO_PASS struct pass *pass = NULL;
	unsigned int before = unit_descriptors(), passes;
	bool has_struck;

	options.procfs = t->path;
	witness_grow(t, false);
	assert_int_equal(pass_open(&options, &pass), 0);
	witness_mount(t, &pass->charges.fs);
	injector_arm_many(s->kind, n, s->times, way);
	work(t, pass);
	has_struck = injector_end();
	for (passes = 0; passes < 2; passes++) {
		AUTO_VIEW struct view *view = run_pass(pass);

		if (!scene->is_adaptive || passes)
			judge_whole(view);
		else
			judge(view);
		take_turns(pass);
	}
	pass = pass_free(pass);
	if (unit_descriptors() != before)
		fail_msg("%u descriptors, and %u before (%s)", unit_descriptors(), before,
			injector_text());
	return has_struck;
}

static void survives_all(
	enum injector_kind kind, bool is_adaptive, unsigned int times, unsigned int step)
{
	struct scene scene = {.is_adaptive = is_adaptive};
	const struct injector_sweep sweep = {
		.kind = kind, .times = times, .step = step, .round = survives, .context = &scene};

	if (!can_inject || !injector_enter())
		skip();
	tree_open(&scene.tree);
	witness_populate(&scene.tree);
	assert_true(injector_run(&sweep) > 200);
	tree_done(&scene.tree);
}

static void exact_passes_recover_from_each_failed_call(void **state)
{
	(void)state;
	survives_all(INJECTOR_CALLS, false, 1, injector_step(SOME));
}

static void adaptive_passes_recover_from_each_failed_call(void **state)
{
	(void)state;
	survives_all(INJECTOR_CALLS, true, 1, injector_step(SOME));
}

/* As while memory or descriptors are short. */
static void recovers_from_many_failed_calls(void **state)
{
	(void)state;
	survives_all(INJECTOR_CALLS, false, MANY, SOME);
	survives_all(INJECTOR_CALLS, true, MANY, SOME);
}

/* maximum bytes per read: several reads per file, but few enough injections */
enum { PIECE = 200 };

static void passes_are_whole(bool is_adaptive, unsigned int most)
{
	struct pass_options options = is_adaptive ? run_adaptive : run_exact;
	AUTO_PASS struct pass *pass = NULL;
	AUTO_TREE struct tree tree;

	tree_open(&tree);
	witness_populate(&tree);
	options.procfs = tree.path;
	injector_shorten(most);
	assert_int_equal(pass_open(&options, &pass), 0);
	witness_mount(&tree, &pass->charges.fs);
	for (unsigned int passes = 0; passes < 3; passes++) {
		AUTO_VIEW struct view *view = run_pass(pass);

		if (!is_adaptive || passes)
			judge_whole(view);
		else
			judge(view);
		take_turns(pass);
	}
	injector_shorten(0);
}

static void short_reads_change_nothing(void **state)
{
	static const unsigned int most[] = {1, 7, 64, PIECE};

	(void)state;
	if (!can_inject || !injector_enter())
		skip();
	injector_arm(INJECTOR_CALLS, 0, 0);
	for (size_t i = 0; i < ARRAY_SIZE(most); i++) {
		passes_are_whole(false, most[i]);
		passes_are_whole(true, most[i]);
	}
}

/*
 * A process that was read partly is counted under a reason in this pass and is complete in the
 * next.
 */
static void recovers_from_reads_that_fail_halfway(void **state)
{
	(void)state;
	if (!can_inject)
		skip();
	injector_shorten(PIECE);
	for (int is_adaptive = 0; is_adaptive < 2; is_adaptive++)
		survives_all(INJECTOR_READS, is_adaptive, 1, injector_step(SOME));
	injector_shorten(0);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(exact_passes_recover_from_each_failed_call),
		cmocka_unit_test(adaptive_passes_recover_from_each_failed_call),
		cmocka_unit_test(recovers_from_many_failed_calls),
		cmocka_unit_test(short_reads_change_nothing),
		cmocka_unit_test(recovers_from_reads_that_fail_halfway),
	};

	if (!injector_open())
		return EXIT_FAILURE;
	can_inject = injector_works() && injector_enter();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
