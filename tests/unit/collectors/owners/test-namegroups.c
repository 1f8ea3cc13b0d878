/* SPDX-License-Identifier: Apache-2.0 */
/* Tests in which group passes over a simulated /proc count each process. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include <errno.h>

#include "collectors/pass/pass-private.h"
#include "snapshot/owner.h"
#include "tests/unit/support/tree/grouped.h"
#include "tests/unit/support/tree/run.h"

static void rules_and_ancestors_name_groups(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(grouped_modes); i++) {
		AUTO_GROUPED struct grouped s;
		AUTO_VIEW struct view *view = NULL;
		struct tree_process grandchild = grouped_helper;

		grouped_open_with(&s, grouped_modes[i], GROUPED_RULES);
		grandchild.pid = 40;
		grandchild.parent = grouped_helper.pid;
		grouped_add(&s, &grouped_init);
		grouped_add(&s, &grouped_nginx);
		grouped_add(&s, &grouped_helper);
		grouped_add(&s, &grandchild);
		view = grouped_run(&s);
		assert_string_equal(grouped_name(view, 1), OWNER_NONE);
		assert_string_equal(grouped_name(view, 20), "web");
		assert_string_equal(grouped_name(view, 30), "web");
		assert_string_equal(grouped_name(view, 40), "web");
		assert_int_equal(grouped_failures(view), 0);
		assert_int_equal(s.opened.count, 4);
	}
}

/* Pids wrap, so a child may be listed before its parent. */
static void order_of_pids_does_not_matter(void **state)
{
	AUTO_GROUPED struct grouped s;
	struct tree_process child = grouped_helper, parent = grouped_helper;

	(void)state;
	grouped_open(&s, GROUPED_RULES);
	child.pid = 5;
	child.parent = 6;
	child.start_ticks = 900;
	parent.pid = 6;
	parent.parent = grouped_nginx.pid;
	parent.start_ticks = 800;
	grouped_add(&s, &child);
	grouped_add(&s, &parent);
	grouped_add(&s, &grouped_nginx);
	grouped_expect(&s, 5, "web");
}

/* P executes NAME with CMDLINE. The next pass finds it in GROUP. */
static void execute(struct grouped *s, struct tree_process *p, const char *name,
	const char *cmdline, const char *group)
{
	p->image++;
	p->name = name;
	p->cmdline = cmdline;
	grouped_add(s, p);
	grouped_expect(s, p->pid, group);
}

static void exec_changes_the_group(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(grouped_modes); i++) {
		AUTO_GROUPED struct grouped s;
		struct tree_process p = grouped_nginx;

		grouped_open_with(&s, grouped_modes[i], GROUPED_RULES);
		grouped_add(&s, &p);
		grouped_expect(&s, 20, "web");
		execute(&s, &p, "postgres", "/usr/bin/postgres -D /data", "database");
		execute(&s, &p, "other", "other", OWNER_NONE);
	}
}

static void inherited_group_survives_exec_and_exit_of_the_parent(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(grouped_modes); i++) {
		AUTO_GROUPED struct grouped s;
		struct tree_process p = grouped_helper;

		grouped_open_with(&s, grouped_modes[i], GROUPED_RULES);
		grouped_add(&s, &grouped_init);
		grouped_add(&s, &grouped_nginx);
		grouped_add(&s, &p);
		grouped_expect(&s, 30, "web");
		tree_remove(&s.tree, "20");
		p.parent = 1;
		grouped_add(&s, &p);
		grouped_expect(&s, 30, "web");
		execute(&s, &p, "sh", "sh -c x", "web");
		execute(&s, &p, "postgres", "/usr/bin/postgres", "database");
		/* It has matched since, so it inherits anew. */
		execute(&s, &p, "sh", "sh", OWNER_NONE);
	}
}

/* A process that was there without a group has none for its later children either. */
static void settled_ancestor_ends_the_search(void **state)
{
	AUTO_GROUPED struct grouped s;
	struct tree_process root = grouped_init, grandparent = grouped_init,
			    parent = grouped_helper, child = grouped_helper;

	(void)state;
	grouped_open(&s, GROUPED_RULES);
	parent.pid = 31;
	parent.parent = 1;
	child.pid = 32;
	child.parent = 31;
	root.pid = 4;
	grouped_add(&s, &root);
	grouped_add(&s, &grandparent);
	grouped_add(&s, &parent);
	grouped_expect(&s, 31, OWNER_NONE);
	grandparent.image = 1;
	grandparent.name = "nginx";
	grouped_add(&s, &grandparent);
	grouped_add(&s, &child);
	grouped_expect(&s, 1, "web");
	grouped_expect(&s, 32, OWNER_NONE);
}

/* The parent has exited, and another process has its pid. */
static void later_process_is_no_parent(void **state)
{
	AUTO_GROUPED struct grouped s;
	struct tree_process later = grouped_nginx;

	(void)state;
	grouped_open(&s, GROUPED_RULES);
	later.start_ticks = 31;
	grouped_add(&s, &later);
	grouped_add(&s, &grouped_helper);
	grouped_expect(&s, 30, OWNER_NONE);
}

/* It was born while processes were listed. */
static void parent_may_be_listed_later(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(grouped_modes); i++) {
		AUTO_GROUPED struct grouped s;

		grouped_open_with(&s, grouped_modes[i], GROUPED_RULES);
		grouped_add(&s, &grouped_helper);
		grouped_expect(&s, 30, OWNER_NONE);
		grouped_add(&s, &grouped_nginx);
		grouped_expect(&s, 30, "web");
		assert_int_equal(s.opened.count, 1);
	}
}

/* A later pass may read it. */
static void unread_parent_has_its_group_later(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(grouped_modes); i++) {
		AUTO_GROUPED struct grouped s;
		AUTO_VIEW struct view *view = NULL;

		grouped_open_with(&s, grouped_modes[i], GROUPED_RULES);
		grouped_add(&s, &grouped_nginx);
		grouped_add(&s, &grouped_helper);
		s.opened = (struct tree_event){.suffix = "status", .nth = 1, .error = EMFILE};
		view = grouped_run(&s);
		assert_null(view_find_process(view, 20));
		assert_string_equal(grouped_name(view, 30), OWNER_NONE);
		s.opened.error = 0;
		grouped_expect(&s, 30, "web");
	}
}

static size_t count_unmatched(const struct pass *pass)
{
	size_t count = 0;

	for (size_t i = 0; i < pass->table.count; i++)
		count += pass->table.item[i]->naming == NAMING_UNMATCHED;
	return count;
}

/* Each step looks at a part of the ancestors. The last fork is listed first. */
static void long_lines_of_ancestors_take_many_steps(void **state)
{
	enum { FORKS = 1000, STEP = 256 };
	AUTO_GROUPED struct grouped s;
	AUTO_VIEW struct view *view = NULL;
	AUTO_CLOSE int fd = -1;
	struct tree_process p = grouped_helper;
	size_t before, now = 0, steps = 0;
	int public_fd, r;

	(void)state;
	grouped_open(&s, GROUPED_RULES);
	for (int i = 0; i < FORKS; i++) {
		p.pid = 100 + i;
		p.parent = i + 1 < FORKS ? p.pid + 1 : grouped_nginx.pid;
		p.start_ticks = (uint64_t)(5000 - i);
		grouped_add(&s, &p);
	}
	grouped_add(&s, &grouped_nginx);
	assert_int_equal(pass_begin(s.pass), 0);
	do {
		before = now;
		r = pass_step(s.pass, 0);
		now = count_unmatched(s.pass);
		assert_true(r >= 0 && (now >= before || before - now <= STEP));
		steps += now < before;
	} while (r > 0);
	assert_in_range(steps, FORKS / STEP, FORKS / 8);
	assert_int_equal(pass_publish(s.pass, false, &fd, &public_fd), 0);
	view = run_view(fd);
	for (int i = 0; i < FORKS; i++)
		assert_string_equal(grouped_name(view, 100 + i), "web");
}

static void circles_of_parents_end(void **state)
{
	AUTO_GROUPED struct grouped s;
	struct tree_process a = grouped_helper, b = grouped_helper, self = grouped_helper;

	(void)state;
	grouped_open(&s, GROUPED_RULES);
	a.pid = 31;
	a.parent = 32;
	b.pid = 32;
	b.parent = 31;
	self.pid = self.parent = 33;
	a.start_ticks = b.start_ticks = 7;
	grouped_add(&s, &a);
	grouped_add(&s, &b);
	grouped_add(&s, &self);
	grouped_expect(&s, 31, OWNER_NONE);
	grouped_expect(&s, 32, OWNER_NONE);
	grouped_expect(&s, 33, OWNER_NONE);
	assert_int_equal(s.opened.count, 0);
}

/* Kernel threads have no memory, so they are in no group and hand none down. */
static void kernel_threads_have_no_group(void **state)
{
	AUTO_GROUPED struct grouped s;
	struct tree_process thread = {.pid = 2, .name = "nginx", .cmdline = ""};
	struct tree_process child = grouped_helper;

	(void)state;
	grouped_open(&s, GROUPED_RULES);
	child.parent = 2;
	grouped_add(&s, &thread);
	grouped_add(&s, &child);
	grouped_expect(&s, 30, OWNER_NONE);
	assert_int_equal(s.opened.count, 1);
}

static void rules_see_the_cgroup(void **state)
{
	AUTO_GROUPED struct grouped s;
	AUTO_VIEW struct view *view = NULL;
	struct tree_process p = grouped_nginx, q = grouped_helper;

	(void)state;
	grouped_open(&s, "process_names:\n- cmdline: ['.+']\n  name: '{{.Cgroups}}'\n");
	p.cgroup = "/system.slice/nginx.service";
	q.cgroup = "/user.slice";
	grouped_add(&s, &p);
	grouped_add(&s, &q);
	grouped_add(&s, &grouped_init);
	view = grouped_run(&s);
	assert_string_equal(grouped_name(view, 20), "[/system.slice/nginx.service]");
	assert_string_equal(grouped_name(view, 30), "[/user.slice]");
	assert_string_equal(grouped_name(view, 1), "[]");
}

#define BY_USER "process_names:\n- comm: [nginx]\n  name: 'of {{.Username}}'\n"

/* run_pass() answers when the pass asks: before groups are counted. */
static void names_of_users_are_waited_for(void **state)
{
	(void)state;
	for (int by_login = 0; by_login < 2; by_login++) {
		AUTO_GROUPED struct grouped s;
		struct pass_options o = run_exact;
		struct tree_process p = grouped_nginx;

		o.user_by = by_login ? ACCOUNTING_LOGIN : ACCOUNTING_EFFECTIVE;
		grouped_open_with(&s, &o, BY_USER);
		p.uid = 1000;
		grouped_add(&s, &p);
		grouped_expect(&s, 20, "of alice");
		grouped_expect(&s, 20, "of alice");
		assert_int_equal(s.opened.count, 0);
	}
}

/* Makes a pass in which no name is answered. */
static struct view *run_unanswered(struct grouped *s)
{
	AUTO_CLOSE int fd = -1;
	struct principal who;
	int public_fd, r;

	tree_expect(&s->opened, 1);
	assert_int_equal(pass_begin(s->pass), 0);
	do {
		r = pass_step(s->pass, 0);
		while (pass_next_unnamed(s->pass, &who))
			;
	} while (r > 0);
	assert_int_equal(r, 0);
	pass_give_up_names(s->pass);
	assert_int_equal(pass_publish(s->pass, false, &fd, &public_fd), 0);
	return run_view(fd);
}

static void names_of_users_may_come_late(void **state)
{
	(void)state;
	for (int by_login = 0; by_login < 2; by_login++) {
		AUTO_GROUPED struct grouped s;
		AUTO_VIEW struct view *view = NULL, *again = NULL, *named = NULL;
		struct pass_options o = run_exact;
		struct tree_process p = grouped_nginx, child = grouped_helper;

		o.user_by = by_login ? ACCOUNTING_LOGIN : ACCOUNTING_EFFECTIVE;
		grouped_open_with(&s, &o, BY_USER);
		p.uid = 1000;
		grouped_add(&s, &p);
		grouped_add(&s, &child);
		view = run_unanswered(&s);
		assert_string_equal(grouped_name(view, 20), "of 1000");
		assert_string_equal(grouped_name(view, 30), "of 1000");
		again = run_unanswered(&s);
		assert_string_equal(grouped_name(again, 30), "of 1000");
		assert_int_equal(s.opened.count, 0);
		assert_true(pass_awaits_names(s.pass) == false);
		pass_name(s.pass, &(struct principal){OWNER_USER, 1000}, "alice");
		named = run_unanswered(&s);
		assert_string_equal(grouped_name(named, 20), "of alice");
		assert_string_equal(grouped_name(named, 30), "of alice");
		assert_int_equal(s.opened.count, 1);
		grouped_expect(&s, 30, "of alice");
		assert_int_equal(s.opened.count, 0);
		grouped_expect(&s, 30, "of alice");
		assert_int_equal(s.pass->namegroups.users.count, 0);
	}
}

/* Rules that run again for a name do not make other reads again. */
static void unreadable_process_is_read_once_in_a_pass(void **state)
{
	AUTO_GROUPED struct grouped s;
	AUTO_VIEW struct view *view = NULL;
	struct tree_process p = grouped_nginx, q = grouped_helper;

	(void)state;
	grouped_open(&s, BY_USER);
	p.uid = 1000;
	q.cmdline = NULL;
	grouped_add(&s, &p);
	grouped_add(&s, &q);
	view = run_unanswered(&s);
	assert_string_equal(grouped_name(view, 20), "of 1000");
	assert_string_equal(grouped_name(view, 30), OWNER_NONE);
	assert_int_equal(s.opened.count, 2);
}

/* Also those that matched no rule before. */
static void new_rules_assign_all_processes_anew(void **state)
{
	AUTO_GROUPED struct grouped s;
	AUTO_VIEW struct view *none = NULL;

	(void)state;
	grouped_open(&s, GROUPED_RULES);
	grouped_add(&s, &grouped_init);
	grouped_add(&s, &grouped_nginx);
	grouped_add(&s, &grouped_helper);
	grouped_expect(&s, 30, "web");
	pass_set_naming(s.pass, grouped_rules("process_names:\n- comm: [systemd]\n"));
	grouped_expect(&s, 30, "init");
	pass_set_naming(s.pass, NULL);
	none = grouped_run(&s);
	assert_int_equal(s.opened.count, 0);
	for (uint32_t i = 0; i < view_count(none, METRIC_PROCESS); i++)
		assert_string_equal(
			view_owner(none, view_process(none, i), OWNER_NAMEGROUP), OWNER_NONE);
	assert_false(ROW_HAS(view_host(none), SCOPE_NAMING_FAILURES));
}

/* They are read again at each reload, and the parent from which the group is inherited has exited. */
static void unchanged_rules_change_no_group(void **state)
{
	AUTO_GROUPED struct grouped s;
	struct tree_process p = grouped_helper;

	(void)state;
	grouped_open(&s, GROUPED_RULES);
	grouped_add(&s, &grouped_init);
	grouped_add(&s, &grouped_nginx);
	grouped_add(&s, &p);
	grouped_expect(&s, 30, "web");
	tree_remove(&s.tree, "20");
	p.parent = 1;
	grouped_add(&s, &p);
	pass_set_naming(s.pass, grouped_rules(GROUPED_RULES));
	grouped_expect(&s, 30, "web");
	assert_int_equal(s.opened.count, 0);
	/* They are compared with those of the next pass. */
	pass_set_naming(s.pass, grouped_rules("process_names: [{comm: [helper], name: x}]"));
	pass_set_naming(s.pass, grouped_rules(GROUPED_RULES));
	grouped_expect(&s, 30, OWNER_NONE);
	assert_int_equal(s.opened.count, 2);
}

/* Rules that are set during a pass hold from the next one on. */
static void rules_do_not_change_within_a_pass(void **state)
{
	AUTO_GROUPED struct grouped s;
	AUTO_VIEW struct view *view = NULL;
	AUTO_CLOSE int fd = -1;
	int public_fd;

	(void)state;
	grouped_open(&s, GROUPED_RULES);
	grouped_add(&s, &grouped_nginx);
	assert_int_equal(pass_begin(s.pass), 0);
	pass_set_naming(s.pass, grouped_rules("process_names:\n- comm: [nginx]\n  name: x\n"));
	pass_set_naming(s.pass, grouped_rules("process_names:\n- comm: [nginx]\n  name: y\n"));
	assert_int_equal(run_steps(s.pass), 0);
	assert_int_equal(pass_publish(s.pass, false, &fd, &public_fd), 0);
	view = run_view(fd);
	assert_string_equal(grouped_name(view, 20), "web");
	grouped_expect(&s, 20, "y");
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(rules_and_ancestors_name_groups),
		cmocka_unit_test(order_of_pids_does_not_matter),
		cmocka_unit_test(exec_changes_the_group),
		cmocka_unit_test(inherited_group_survives_exec_and_exit_of_the_parent),
		cmocka_unit_test(settled_ancestor_ends_the_search),
		cmocka_unit_test(later_process_is_no_parent),
		cmocka_unit_test(parent_may_be_listed_later),
		cmocka_unit_test(unread_parent_has_its_group_later),
		cmocka_unit_test(long_lines_of_ancestors_take_many_steps),
		cmocka_unit_test(circles_of_parents_end),
		cmocka_unit_test(kernel_threads_have_no_group),
		cmocka_unit_test(rules_see_the_cgroup),
		cmocka_unit_test(names_of_users_are_waited_for),
		cmocka_unit_test(names_of_users_may_come_late),
		cmocka_unit_test(unreadable_process_is_read_once_in_a_pass),
		cmocka_unit_test(new_rules_assign_all_processes_anew),
		cmocka_unit_test(unchanged_rules_change_no_group),
		cmocka_unit_test(rules_do_not_change_within_a_pass),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
