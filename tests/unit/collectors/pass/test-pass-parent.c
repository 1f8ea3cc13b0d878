/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of collectors/pass/pass-parent.c: the parents that rows of processes show. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include "tests/unit/support/tree/adaptive.h"
#include "tests/unit/support/tree/run.h"

/* The modes that each test runs in. */
static const struct pass_options *const modes[] = {&run_exact, &run_adaptive};

enum {
	SHELL = 12, /* of adaptive_cast */
	REAPER = 10,
	CHILD = 40,
};

/* A tree with CHILD, a process that SHELL has forked. */
static struct adaptive *with_child(const struct pass_options *with)
{
	struct adaptive *s = adaptive_new(with);
	struct tree_process p = adaptive_worker;

	p.pid = CHILD;
	p.parent = SHELL;
	adaptive_add(s, &p, 0);
	return s;
}

/* Gives CHILD another parent, as the kernel does: nothing else of it changes. */
static void set_parent(struct adaptive *s, pid_t parent)
{
	struct tree_process p = adaptive_worker;

	p.pid = CHILD;
	p.parent = parent;
	tree_add(&s->tree, &p);
}

static uint32_t parent_of(const struct view *view, uint32_t pid)
{
	return adaptive_row(view, pid)->ppid;
}

/* An adaptive pass reads no status to know it. */
static void rows_have_a_parent(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(modes); i++) {
		AUTO_ADAPTIVE struct adaptive *s = with_child(modes[i]);
		AUTO_VIEW struct view *view = adaptive_pass(s);

		assert_int_equal(parent_of(view, CHILD), SHELL);
		assert_int_equal(parent_of(view, SHELL), 0);
		adaptive_turns(s);
		adaptive_again(s, &view);
		assert_int_equal(parent_of(view, CHILD), SHELL);
		if (modes[i]->is_adaptive)
			assert_int_equal(adaptive_looks(s), 0);
	}
}

static void ends(struct adaptive *s)
{
	tree_remove(&s->tree, "12");
}

/* It stays a zombie. */
static void ends_unreaped(struct adaptive *s)
{
	struct tree_process p = {.pid = SHELL, .name = "bash", .state = 'Z', .uid = 1000};

	adaptive_add(s, &p, 0);
}

/* Another process has its pid by the next pass. */
static void ends_and_returns(struct adaptive *s)
{
	struct tree_process p = adaptive_worker;

	tree_write(&s->tree, "12/statm", ""); /* a kept descriptor must not read on */
	tree_remove(&s->tree, "12");
	p.pid = SHELL;
	p.start_ticks = 100000;
	adaptive_add(s, &p, 0);
}

/*
 * The pass that finds out that a parent has exited shows the new one, and reads one status for that
 * in adaptive mode. Later passes read none.
 */
static void orphans_have_their_new_parent(void **state)
{
	static void (*const end[])(struct adaptive *) = {ends, ends_unreaped, ends_and_returns};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(modes) * ARRAY_SIZE(end); i++) {
		const struct pass_options *mode = modes[i / ARRAY_SIZE(end)];
		AUTO_ADAPTIVE struct adaptive *s = with_child(mode);
		AUTO_VIEW struct view *view = adaptive_pass(s);

		adaptive_turns(s);
		end[i % ARRAY_SIZE(end)](s);
		set_parent(s, REAPER);
		adaptive_again(s, &view);
		assert_int_equal(parent_of(view, CHILD), REAPER);
		adaptive_turns(s);
		adaptive_again(s, &view);
		assert_int_equal(parent_of(view, CHILD), REAPER);
		if (mode->is_adaptive)
			assert_int_equal(adaptive_looks(s), 0);
	}
}

/* A parent outside the pid namespace, and one that cannot be read, are absent. */
static void unknown_parents_are_absent(void **state)
{
	AUTO_ADAPTIVE struct adaptive *unreadable = NULL;
	AUTO_VIEW struct view *seen = NULL;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(modes); i++) {
		AUTO_ADAPTIVE struct adaptive *s = with_child(modes[i]);
		AUTO_VIEW struct view *view = adaptive_pass(s);

		ends(s);
		set_parent(s, 0);
		adaptive_again(s, &view);
		assert_int_equal(parent_of(view, CHILD), 0);
	}
	unreadable = with_child(&run_adaptive);
	seen = adaptive_pass(unreadable);
	ends(unreadable);
	tree_remove(&unreadable->tree, "40/status");
	adaptive_again(unreadable, &seen);
	assert_int_equal(parent_of(seen, CHILD), 0);
}

/*
 * A parent without a row, such as a kernel thread, is shown as the kernel says. It may end unseen,
 * so that each pass asks again.
 */
static void parents_may_have_no_row(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(modes); i++) {
		AUTO_ADAPTIVE struct adaptive *s = with_child(modes[i]);
		AUTO_VIEW struct view *view = NULL;

		set_parent(s, 2);
		adaptive_again(s, &view);
		assert_null(view_find_process(view, 2));
		assert_int_equal(parent_of(view, CHILD), 2);
		set_parent(s, REAPER);
		adaptive_again(s, &view);
		assert_int_equal(parent_of(view, CHILD), REAPER);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_have_a_parent),
		cmocka_unit_test(orphans_have_their_new_parent),
		cmocka_unit_test(unknown_parents_are_absent),
		cmocka_unit_test(parents_may_have_no_row),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
