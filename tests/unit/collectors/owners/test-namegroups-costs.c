/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of passes over processes for which rules take many steps: these wait for later passes. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include "collectors/schedule/cpu-budget.h"
#include "naming/rules.h"
#include "tests/unit/support/tree/grouped.h"
#include "tests/unit/support/tree/run.h"

enum { COSTLY = 60, COSTLY_PID = 100 };

/* Adds processes that take the rules below a million steps each, and a cheap one behind them. */
static void add_costly(const struct grouped *s, unsigned int image, const char *cmdline)
{
	struct tree_process p = grouped_helper;

	for (int i = 0; i <= COSTLY; i++) {
		p.pid = COSTLY_PID + i;
		p.parent = 1;
		p.image = image;
		p.cmdline = i < COSTLY ? cmdline : "cheap";
		grouped_add(s, &p);
	}
}

/* LAST is the name that the last rule gives. */
static struct naming_rules *costly_rules_with(const char *last)
{
	AUTO_BUFFER struct buffer text = {0};

	buffer_add_text(&text, "process_names:\n");
	for (int i = 0; i < 40; i++)
		buffer_add_text(&text, "- cmdline: ['x*x*[yz]']\n  name: x\n");
	buffer_add_text(&text, "- cmdline: ['^xxx']\n  name: costly\n");
	buffer_printf(&text, "- comm: [helper]\n  name: '%s'\n%c", last, 0);
	assert_int_equal(text.error, 0);
	return grouped_rules(text.data);
}

static struct naming_rules *costly_rules(void)
{
	return costly_rules_with("last");
}

/* Returns how many of the costly processes from index FROM on are in the group NAME. */
static int count_named(const struct view *view, int from, const char *name)
{
	int count = 0;

	for (int i = from; i < COSTLY; i++)
		count += strcmp(grouped_name(view, COSTLY_PID + i), name) == 0;
	return count;
}

/* Returns how many of them have a group. */
static int count_grouped(const struct view *view, int from)
{
	return count_named(view, from, "last");
}

/* Each has its turn, although all of them are new in each pass; cheap processes never wait. */
static void costly_processes_wait_for_later_passes(void **state)
{
	AUTO_FREE char *line = grouped_cmdline("", 4000);
	AUTO_GROUPED struct grouped s;
	AUTO_VIEW struct view *first = NULL, *second = NULL, *third = NULL;
	int done;

	(void)state;
	grouped_open(&s, NULL);
	pass_set_naming(s.pass, costly_rules());
	add_costly(&s, 1, line);
	first = grouped_run(&s);
	done = count_grouped(first, 0);
	assert_in_range(done, COSTLY / 2, COSTLY - 1);
	assert_int_equal(count_grouped(first, done), 0); /* the first ones */
	assert_string_equal(grouped_name(first, COSTLY_PID + COSTLY), "last");
	assert_int_equal(grouped_failures(first), done);
	add_costly(&s, 2, line);
	second = grouped_run(&s);
	assert_int_equal(count_grouped(second, 0), COSTLY - done);
	assert_int_equal(count_grouped(second, done), COSTLY - done);
	assert_string_equal(grouped_name(second, COSTLY_PID + COSTLY), "last");
	third = grouped_run(&s);
	assert_int_equal(count_grouped(third, 0), COSTLY);
}

/*
 * But in the first pass of new rules they may take more. Processes that wait are not read, so that
 * they take nothing of a pass.
 */
static void costly_processes_take_a_part_of_the_budget(void **state)
{
	AUTO_FREE char *line = grouped_cmdline("", 4000);
	AUTO_GROUPED struct grouped s;
	AUTO_VIEW struct view *first = NULL, *second = NULL, *third = NULL;
	struct pass_options o = run_adaptive;

	(void)state;
	o.budget_cpu_ppm = CPU_BUDGET_PPM_PER_PERCENT;
	grouped_open_with(&s, &o, NULL);
	pass_set_naming(s.pass, costly_rules());
	add_costly(&s, 1, line);
	first = grouped_run(&s);
	assert_in_range(count_grouped(first, 0), COSTLY / 2, COSTLY - 1);
	add_costly(&s, 2, line);
	second = grouped_run(&s);
	assert_in_range(count_grouped(second, 0), 1, 5);
	assert_string_equal(grouped_name(second, COSTLY_PID + COSTLY), "last");
	assert_int_equal(s.opened.count, COSTLY + 1);
	third = grouped_run(&s);
	assert_in_range(s.opened.count, 1, 5);
	assert_int_equal(count_grouped(third, 0), count_grouped(second, 0) + (int)s.opened.count);
	assert_int_equal(grouped_failures(third), grouped_failures(second) + s.opened.count);
}

/*
 * The rules run again for the name of a user. A process for which no steps are left then keeps the
 * number, and waits for its turn, too. Others do not wait.
 */
static void costly_processes_wait_for_names(void **state)
{
	AUTO_FREE char *line = grouped_cmdline("", 4000);
	AUTO_GROUPED struct grouped s;
	AUTO_VIEW struct view *first = NULL;
	struct pass_options o = run_adaptive;
	int numbered, named = 0;

	(void)state;
	o.budget_cpu_ppm = CPU_BUDGET_PPM_PER_PERCENT;
	grouped_open_with(&s, &o, NULL);
	pass_set_naming(s.pass, costly_rules_with("{{.Username}}"));
	add_costly(&s, 1, line);
	first = grouped_run(&s);
	assert_string_equal(grouped_name(first, COSTLY_PID + COSTLY), "root");
	numbered = count_named(first, 0, "0");
	assert_in_range(numbered, COSTLY / 2, COSTLY - 1);
	assert_int_equal(count_named(first, 0, "root"), 0);
	/* The others are first, since no steps were left for them first. */
	while (named <= COSTLY - numbered) {
		AUTO_VIEW struct view *view = grouped_run(&s);

		assert_in_range(s.opened.count, 1, 5);
		named += (int)s.opened.count;
		assert_int_equal(count_named(view, 0, "root"), named);
		assert_int_equal(grouped_failures(view),
			count_named(view, 0, "0") + count_named(view, 0, "root"));
	}
}

enum { ORDINARY = 240, ORDINARY_PID = 1000 };

static void add_ordinary(const struct grouped *s, unsigned int image, const char *cmdline)
{
	struct tree_process p = grouped_helper;

	for (int i = 0; i <= ORDINARY; i++) {
		p.pid = ORDINARY_PID + i;
		p.parent = 1;
		p.image = image;
		p.cmdline = i < ORDINARY ? cmdline : "cheap";
		grouped_add(s, &p);
	}
}

static int count_ordinary(const struct view *view)
{
	int count = 0;

	for (int i = 0; i < ORDINARY; i++)
		count += strcmp(grouped_name(view, ORDINARY_PID + i), "last") == 0;
	return count;
}

/*
 * Many new processes, each of which takes less than the usual steps, wait for each other, too: in a
 * pass about 90 take all the steps that they need, and 90 the usual ones. Those that take the least
 * steps do not wait. Every process is read at most twice.
 */
static void usual_steps_of_a_pass_are_limited(void **state)
{
	AUTO_FREE char *line = grouped_cmdline("", 44); /* about 16,000 of the 20,400 usual steps */
	AUTO_GROUPED struct grouped s;
	struct pass_options o = run_adaptive;
	int done = 0, passes = 0;
	size_t opened = 0;

	(void)state;
	o.budget_cpu_ppm = CPU_BUDGET_PPM_PER_PERCENT;
	grouped_open_with(&s, &o, NULL);
	pass_set_naming(s.pass, grouped_rules("process_names:\n- cmdline: ['x*x*[yz]']\n  name: x\n"
					      "- comm: [helper]\n  name: last\n"));
	add_ordinary(&s, 1, "first");
	view_unref(grouped_run(&s));
	add_ordinary(&s, 2, line);
	for (int before = -1; done < ORDINARY; passes++) {
		AUTO_VIEW struct view *view = grouped_run(&s);

		before = done;
		done = count_ordinary(view);
		opened += s.opened.count;
		assert_in_range(done - before, passes ? 1 : 120, 200);
		assert_string_equal(grouped_name(view, ORDINARY_PID + ORDINARY), "last");
		assert_int_equal(grouped_failures(view), 0);
	}
	assert_in_range(passes, 2, 4);
	assert_in_range(opened, ORDINARY + 1, 2 * ORDINARY);
}

/* There is no later pass. */
static void single_pass_finishes_costly_processes(void **state)
{
	AUTO_FREE char *line = grouped_cmdline("", 4000);
	AUTO_GROUPED struct grouped s;
	AUTO_VIEW struct view *view = NULL;
	struct pass_options o = run_exact;

	(void)state;
	o.is_single = true;
	grouped_open_with(&s, &o, NULL);
	pass_set_naming(s.pass, costly_rules());
	add_costly(&s, 1, line);
	view = grouped_run(&s);
	assert_int_equal(count_grouped(view, 0), COSTLY);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(costly_processes_wait_for_later_passes),
		cmocka_unit_test(costly_processes_take_a_part_of_the_budget),
		cmocka_unit_test(costly_processes_wait_for_names),
		cmocka_unit_test(usual_steps_of_a_pass_are_limited),
		cmocka_unit_test(single_pass_finishes_costly_processes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
