/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests of what passes over a simulated /proc read to count each process in a group, and of reads
 * that fail or block.
 */
#include "config.h"

#include "tests/unit/support/unit.h"

#include <fcntl.h>
#include <sys/stat.h>

#include "naming/rules.h"
#include "collectors/pass/pass-private.h"
#include "snapshot/owner.h"
#include "tests/unit/support/faults/allocation.h"
#include "tests/unit/support/tree/crew.h"
#include "tests/unit/support/tree/grouped.h"
#include "tests/unit/support/tree/run.h"

/* The rules have run on its image. */
static void unchanged_process_is_not_read_again(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(grouped_modes); i++) {
		AUTO_GROUPED struct grouped s;
		struct tree_process second = grouped_helper;

		grouped_open_with(&s, grouped_modes[i], GROUPED_RULES);
		grouped_add(&s, &grouped_nginx);
		grouped_add(&s, &grouped_helper);
		grouped_expect(&s, 30, "web");
		for (int pass = 0; pass < 3; pass++) {
			grouped_expect(&s, 30, "web");
			assert_int_equal(s.opened.count, 0);
		}
		second.pid = 31;
		grouped_add(&s, &second);
		grouped_expect(&s, 31, "web");
		assert_int_equal(s.opened.count, 1);
	}
}

static void without_rules_no_process_is_read(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(grouped_modes); i++) {
		AUTO_GROUPED struct grouped s;
		AUTO_VIEW struct view *view = NULL;

		grouped_open_with(&s, grouped_modes[i], NULL);
		grouped_add(&s, &grouped_nginx);
		view = grouped_run(&s);
		assert_int_equal(s.opened.count, 0);
		assert_string_equal(grouped_name(view, 20), OWNER_NONE);
		assert_false(ROW_HAS(view_host(view), SCOPE_NAMING_FAILURES));
	}
}

/* The files of a dead leader are empty; those of a live thread are read. */
static void dead_leader_is_read_by_a_thread(void **state)
{
	AUTO_GROUPED struct grouped s;
	struct tree_process dead = {.pid = 40,
		.parent = 1,
		.name = "leader",
		.state = 'Z',
		.threads = 2,
		.image = 1,
		.cmdline = ""};
	struct tree_process thread = {.pid = 40,
		.parent = 1,
		.name = "worker",
		.threads = 2,
		.image = 1,
		.rss_kib = 1000,
		.pss_kib = 500,
		.uss_kib = 500,
		.cmdline = "/usr/bin/postgres"};

	(void)state;
	grouped_open(&s, GROUPED_RULES);
	grouped_add(&s, &dead);
	tree_add_at(&s.tree, "40/task/41", &thread);
	grouped_expect(&s, 40, "database");
}

/* It has no group meanwhile, and neither have its children. */
static void unreadable_process_is_tried_again(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(grouped_modes); i++) {
		AUTO_GROUPED struct grouped s;
		AUTO_VIEW struct view *view = NULL;

		grouped_open_with(&s, grouped_modes[i], GROUPED_RULES);
		grouped_add(&s, &grouped_nginx);
		grouped_add(&s, &grouped_helper);
		s.opened.nth = 1;
		s.opened.error = ETIMEDOUT;
		view = grouped_run(&s);
		assert_string_equal(grouped_name(view, 20), OWNER_NONE);
		assert_string_equal(grouped_name(view, 30), OWNER_NONE);
		s.opened.error = 0;
		grouped_expect(&s, 30, "web");
		assert_int_equal(s.opened.count, 1); /* the parent alone */
		grouped_expect(&s, 20, "web");
		assert_int_equal(s.opened.count, 0);
	}
}

/* A process exits after it was sampled: the kernel shows no memory and no arguments. */
static void become_zombie(void *to)
{
	const struct tree *t = to;

	tree_write(t, "30/cmdline", "");
	tree_write(t, "30/statm", "0 0 0 0 0 0 0\n");
}

/* Without arguments the pattern would match it. A process that lives may have none. */
static void zombie_matches_no_rule(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(grouped_modes); i++) {
		AUTO_GROUPED struct grouped s;
		AUTO_VIEW struct view *view = NULL;
		struct tree_process bare = grouped_nginx;

		grouped_open_with(&s, grouped_modes[i],
			"process_names:\n- cmdline: ['^.*$']\n  name: 'all{{.Matches}}'\n");
		bare.cmdline = "";
		grouped_add(&s, &bare);
		grouped_add(&s, &grouped_helper);
		s.opened.nth = 2;
		s.opened.call = become_zombie;
		s.opened.to = &s.tree;
		view = grouped_run(&s);
		assert_string_equal(grouped_name(view, 20), "allmap[:]");
		assert_string_equal(grouped_name(view, 30), OWNER_NONE);
	}
}

/* An inherited group does not depend on what a process executes, unless a rule says so. */
static void unreadable_process_keeps_an_inherited_group(void **state)
{
	AUTO_GROUPED struct grouped s;
	struct tree_process p = grouped_helper;

	(void)state;
	grouped_open(&s, GROUPED_RULES);
	grouped_add(&s, &grouped_nginx);
	grouped_add(&s, &p);
	grouped_expect(&s, 30, "web");
	p.image = 1;
	p.name = "postgres";
	p.cmdline = "/usr/bin/postgres";
	grouped_add(&s, &p);
	s.opened.error = ETIMEDOUT;
	grouped_expect(&s, 30, "web");
	s.opened.error = 0;
	grouped_expect(&s, 30, "database");
}

#define BY_CGROUP "process_names:\n- comm: [nginx]\n  name: 'c{{.Cgroups}}'\n"

/* The first pass cannot open it: no group is made up without it. */
static void unreadable_cgroup_is_tried_again(void **state)
{
	AUTO_GROUPED struct grouped s;
	struct tree_process p = grouped_nginx;

	(void)state;
	p.cgroup = "/web";
	grouped_open(&s, BY_CGROUP);
	grouped_add(&s, &p);
	s.opened.suffix = "cgroup";
	s.opened.error = EMFILE;
	grouped_expect(&s, 20, OWNER_NONE);
	s.opened.error = 0;
	grouped_expect(&s, 20, "c[/web]");
	s.opened.suffix = "cmdline";
	grouped_expect(&s, 20, "c[/web]");
	assert_int_equal(s.opened.count, 0);
}

/* No later pass can read it. */
static void too_long_cgroup_is_a_failure(void **state)
{
	AUTO_FREE char *line = grouped_cmdline("0::/", 70000);

	(void)state;
	for (int is_refused = 0; is_refused < 2; is_refused++) {
		AUTO_GROUPED struct grouped s;
		AUTO_VIEW struct view *first = NULL, *second = NULL;

		grouped_open(&s, BY_CGROUP);
		grouped_add(&s, &grouped_nginx);
		tree_write(&s.tree, "20/cgroup", is_refused ? "0::/web\n" : line);
		s.opened.suffix = "cgroup";
		s.opened.error = is_refused ? ENAMETOOLONG : 0;
		first = grouped_run(&s);
		assert_string_equal(grouped_name(first, 20), "c[]");
		assert_int_equal(grouped_failures(first), 1);
		second = grouped_run(&s);
		assert_string_equal(grouped_name(second, 20), "c[]");
		assert_int_equal(grouped_failures(second), 1);
	}
}

/* The kernel has no cgroups, or the thread by which a dead leader is read has exited. */
static void missing_cgroup_is_none_unless_of_a_thread(void **state)
{
	AUTO_GROUPED struct grouped s;
	AUTO_VIEW struct view *view = NULL;
	struct tree_process dead = grouped_nginx, thread = grouped_nginx;

	(void)state;
	grouped_open(&s, BY_CGROUP);
	grouped_add(&s, &grouped_nginx);
	dead.pid = thread.pid = 40;
	dead.state = 'Z';
	dead.threads = thread.threads = 2;
	dead.rss_kib = 0;
	grouped_add(&s, &dead);
	tree_add_at(&s.tree, "40/task/41", &thread);
	view = grouped_run(&s);
	assert_string_equal(grouped_name(view, 20), "c[]");
	assert_string_equal(grouped_name(view, 40), OWNER_NONE);
	thread.cgroup = "/web";
	tree_add_at(&s.tree, "40/task/41", &thread);
	grouped_expect(&s, 40, "c[/web]");
}

/* A FIFO without a writer blocks its reader like a held lock. */
static void blocked_process_is_tried_again(void **state)
{
	const struct worker_request walk = {.op = WORKER_READ, .pid = 20, .path = "cmdline"};
	AUTO_GROUPED struct grouped s;
	AUTO_VIEW struct view *view = NULL;
	struct tree_process p = grouped_nginx;
	struct crew crew;

	(void)state;
	grouped_open(&s, GROUPED_RULES);
	p.cmdline = NULL;
	grouped_add(&s, &grouped_init);
	grouped_add(&s, &p);
	grouped_add(&s, &grouped_helper);
	assert_int_equal(mkfifoat(s.tree.fd, "20/cmdline", 0600), 0);
	crew_open(&crew, s.tree.fd);
	pass_set_workers(s.pass, &crew.workers);
	view = grouped_run(&s);
	assert_string_equal(grouped_name(view, 20), OWNER_NONE);
	assert_string_equal(grouped_name(view, 30), OWNER_NONE);
	assert_int_equal(view_self(view)->q[SELF_BLOCKED_READS], 1);
	assert_true(s.pass->table.item[1]->block.is_walk); /* other files may still be read */
	crew_reap(&crew);
	/* Not before an attempt is due. */
	grouped_expect(&s, 20, OWNER_NONE);
	assert_int_equal(crew.workers.lanes.blocked, 1);
	tree_remove(&s.tree, "20/cmdline");
	grouped_add(&s, &grouped_nginx);
	s.pass->table.item[1]->block.next_ns = 0;
	for (int i = 0; i < 1000 && lanes_has_parked(&crew.workers.lanes, &walk); i++) {
		crew_reap(&crew);
		workers_begin_pass(&crew.workers);
		usleep(10000);
	}
	grouped_expect(&s, 30, "web");
	pass_set_workers(s.pass, NULL);
	crew_close(&crew);
}

/* The worker reads by pid. */
static void later_process_with_the_pid_is_not_read(void **state)
{
	AUTO_GROUPED struct grouped s;
	AUTO_VIEW struct view *view = NULL;
	AUTO_CLOSE int fd = -1;
	struct tree_process later = grouped_helper;
	struct crew crew;
	int public_fd;

	(void)state;
	grouped_open(&s, GROUPED_RULES);
	grouped_add(&s, &grouped_helper);
	crew_open(&crew, s.tree.fd);
	pass_set_workers(s.pass, &crew.workers);
	tree_expect(NULL, 0);
	assert_int_equal(pass_begin(s.pass), 0);
	while (s.pass->phase != PHASE_NAMEGROUPS)
		assert_int_equal(pass_step(s.pass, 0), PASS_MORE);
	tree_remove(&s.tree, "30");
	later.cmdline = "/usr/bin/postgres";
	grouped_add(&s, &later);
	assert_int_equal(run_steps(s.pass), 0);
	assert_int_equal(pass_publish(s.pass, false, &fd, &public_fd), 0);
	view = run_view(fd);
	assert_string_equal(grouped_name(view, 30), OWNER_NONE);
	pass_set_workers(s.pass, NULL);
	crew_close(&crew);
}

/* With workers, and without. */
static void long_command_line_is_cut(void **state)
{
	(void)state;
	for (int has_workers = 0; has_workers < 2; has_workers++) {
		AUTO_GROUPED struct grouped s;
		AUTO_VIEW struct view *view = NULL;
		AUTO_FREE char *most = grouped_cmdline(
			"/usr/bin/postgres ", NAMING_CMDLINE_MAX - 1);
		AUTO_FREE char *more = grouped_cmdline("/usr/bin/postgres ", NAMING_CMDLINE_MAX);
		struct tree_process p = grouped_helper, q = grouped_helper;
		struct crew crew;

		grouped_open(&s, GROUPED_RULES);
		p.cmdline = most;
		q.cmdline = more;
		q.pid = 31;
		grouped_add(&s, &p);
		grouped_add(&s, &q);
		crew_open(&crew, s.tree.fd);
		if (has_workers)
			pass_set_workers(s.pass, &crew.workers);
		view = grouped_run(&s);
		assert_string_equal(grouped_name(view, 30), "database");
		assert_string_equal(grouped_name(view, 31), "database");
		assert_int_equal(grouped_failures(view), 1);
		pass_set_workers(s.pass, NULL);
		crew_close(&crew);
	}
}

static void failures_of_rules_are_counted_once(void **state)
{
	AUTO_GROUPED struct grouped s;
	AUTO_VIEW struct view *view = NULL, *again = NULL;

	(void)state;
	grouped_open(&s, "process_names:\n- comm: [nginx]\n  name: 'a{{index .Cgroups 7}}b'\n");
	grouped_add(&s, &grouped_nginx);
	grouped_add(&s, &grouped_helper);
	view = grouped_run(&s);
	assert_string_equal(grouped_name(view, 20), "a");
	assert_int_equal(grouped_failures(view), 1);
	again = grouped_run(&s);
	assert_int_equal(grouped_failures(again), 1);
}

static int try_passes(struct grouped *s, unsigned int failing)
{
	AUTO_CLOSE int fd = -1;
	int r;

	allocation_fail_at(failing);
	r = run_try(s->pass, &fd);
	return r;
}

/* A pass may be lost. The next one has all groups. */
static void recovers_from_each_failed_allocation(void **state)
{
	(void)state;
	for (unsigned int n = 1; n; n = allocation_next(n)) {
		AUTO_GROUPED struct grouped s;
		AUTO_VIEW struct view *view = NULL;

		grouped_open(&s, GROUPED_RULES);
		grouped_add(&s, &grouped_init);
		grouped_add(&s, &grouped_nginx);
		grouped_add(&s, &grouped_helper);
		tree_expect(&s.opened, 1);
		(void)try_passes(&s, n);
		(void)allocation_end();
		view = grouped_run(&s);
		assert_string_equal(grouped_name(view, 1), OWNER_NONE);
		assert_string_equal(grouped_name(view, 20), "web");
		assert_string_equal(grouped_name(view, 30), "web");
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(unchanged_process_is_not_read_again),
		cmocka_unit_test(without_rules_no_process_is_read),
		cmocka_unit_test(dead_leader_is_read_by_a_thread),
		cmocka_unit_test(unreadable_process_is_tried_again),
		cmocka_unit_test(zombie_matches_no_rule),
		cmocka_unit_test(unreadable_process_keeps_an_inherited_group),
		cmocka_unit_test(unreadable_cgroup_is_tried_again),
		cmocka_unit_test(too_long_cgroup_is_a_failure),
		cmocka_unit_test(missing_cgroup_is_none_unless_of_a_thread),
		cmocka_unit_test(blocked_process_is_tried_again),
		cmocka_unit_test(later_process_with_the_pid_is_not_read),
		cmocka_unit_test(long_command_line_is_cut),
		cmocka_unit_test(failures_of_rules_are_counted_once),
		cmocka_unit_test(recovers_from_each_failed_allocation),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
