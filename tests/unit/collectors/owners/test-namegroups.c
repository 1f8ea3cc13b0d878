/* SPDX-License-Identifier: Apache-2.0 */
/* Tests in which group passes over a simulated /proc count each process, and what they read for it. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include <fcntl.h>
#include <sys/stat.h>

#include "base/clock.h"
#include "collectors/pass/pass-private.h"
#include "naming/rules.h"
#include "snapshot/owner.h"
#include "tests/unit/support/faults/allocation.h"
#include "tests/unit/support/tree/crew.h"
#include "tests/unit/support/tree/run.h"
#include "tests/unit/support/tree/tree.h"

/* Rules for the processes below. */
#define RULES                                                                                      \
	"process_names:\n"                                                                         \
	"- comm: [nginx]\n"                                                                        \
	"  name: web\n"                                                                            \
	"- exe: [/usr/bin/postgres]\n"                                                             \
	"  name: database\n"

static const struct tree_process init = {.pid = 1,
	.parent = 0,
	.name = "systemd",
	.rss_kib = 1000,
	.pss_kib = 100,
	.uss_kib = 10,
	.cmdline = "/sbin/init"};
static const struct tree_process nginx = {.pid = 20,
	.parent = 1,
	.name = "nginx",
	.rss_kib = 1000,
	.pss_kib = 200,
	.uss_kib = 10,
	.cmdline = "nginx: master"};
static const struct tree_process helper = {.pid = 30,
	.parent = 20,
	.name = "helper",
	.rss_kib = 1000,
	.pss_kib = 300,
	.uss_kib = 10,
	.cmdline = "/usr/libexec/helper"};

struct scene {
	struct tree tree;
	struct pass *pass;
	struct tree_event opened; /* cmdline files, since the last pass began */
};

static struct naming_rules *rules_of(const char *text)
{
	char error[NAMING_ERRORS_SIZE] = "";
	struct naming_rules *rules = NULL;

	if (naming_rules_parse("rules.yaml", text, strlen(text), &rules, error) < 0)
		fail_msg("%s", error);
	return rules;
}

/* A tree without processes, and a pass with OPTIONS over it. RULES NULL: there are none. */
static void scene_open_with(struct scene *s, const struct pass_options *options, const char *rules)
{
	struct pass_options o = *options;

	*s = (struct scene){.opened = {.suffix = "cmdline"}};
	tree_expect(NULL, 0);
	tree_open(&s->tree);
	tree_write(&s->tree, "stat", "cpu  1 2 3\nbtime 1700000000\nprocesses 7\n");
	tree_write(&s->tree, "meminfo", "MemTotal: 1000000 kB\nMemAvailable: 600000 kB\n");
	o.procfs = s->tree.path;
	assert_int_equal(pass_open(&o, &s->pass), 0);
	if (rules)
		pass_set_naming(s->pass, rules_of(rules));
}

static void scene_open(struct scene *s, const char *rules)
{
	scene_open_with(s, &run_exact, rules);
}

static void scene_done(struct scene *s)
{
	tree_expect(NULL, 0);
	pass_free(s->pass);
	tree_done(&s->tree);
}
#define AUTO_SCENE CLEANUP(scene_done)

/* Adds P with a statm, which adaptive passes poll: it moves with each exec. */
static void add(const struct scene *s, const struct tree_process *p)
{
	char path[32], text[64];

	tree_add(&s->tree, p);
	snprintf(path, sizeof(path), "%d/statm", p->pid);
	snprintf(text, sizeof(text), "3000 %d 200 0 0 0 0\n", 250 + (int)p->image);
	tree_write(&s->tree, path, text);
}

static struct view *run(struct scene *s)
{
	tree_expect(&s->opened, 1);
	return run_pass(s->pass);
}

static const char *group_of(const struct view *view, pid_t pid)
{
	const struct snapshot_process *row = view_find_process(view, (uint32_t)pid);

	assert_non_null(row);
	return view_owner(view, row, OWNER_NAMEGROUP);
}

/* Runs a pass, and asserts that PID is in GROUP. */
static void expect(struct scene *s, pid_t pid, const char *group)
{
	AUTO_VIEW struct view *view = run(s);

	assert_string_equal(group_of(view, pid), group);
}

static uint64_t failures(const struct view *view)
{
	assert_true(ROW_HAS(view_host(view), SCOPE_NAMING_FAILURES));
	return view_host(view)->q[SCOPE_NAMING_FAILURES];
}

static const struct pass_options *const modes[] = {&run_exact, &run_adaptive};

static void rules_and_ancestors_name_groups(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(modes); i++) {
		AUTO_SCENE struct scene s;
		AUTO_VIEW struct view *view = NULL;
		struct tree_process grandchild = helper;

		scene_open_with(&s, modes[i], RULES);
		grandchild.pid = 40;
		grandchild.parent = helper.pid;
		add(&s, &init);
		add(&s, &nginx);
		add(&s, &helper);
		add(&s, &grandchild);
		view = run(&s);
		assert_string_equal(group_of(view, 1), OWNER_NONE);
		assert_string_equal(group_of(view, 20), "web");
		assert_string_equal(group_of(view, 30), "web");
		assert_string_equal(group_of(view, 40), "web");
		assert_int_equal(failures(view), 0);
		assert_int_equal(s.opened.count, 4);
	}
}

/* Pids wrap, so a child may be listed before its parent. */
static void order_of_pids_does_not_matter(void **state)
{
	AUTO_SCENE struct scene s;
	struct tree_process child = helper, parent = helper;

	(void)state;
	scene_open(&s, RULES);
	child.pid = 5;
	child.parent = 6;
	child.start_ticks = 900;
	parent.pid = 6;
	parent.parent = nginx.pid;
	parent.start_ticks = 800;
	add(&s, &child);
	add(&s, &parent);
	add(&s, &nginx);
	expect(&s, 5, "web");
}

/* The rules have run on its image. */
static void unchanged_process_is_not_read_again(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(modes); i++) {
		AUTO_SCENE struct scene s;
		struct tree_process second = helper;

		scene_open_with(&s, modes[i], RULES);
		add(&s, &nginx);
		add(&s, &helper);
		expect(&s, 30, "web");
		for (int pass = 0; pass < 3; pass++) {
			expect(&s, 30, "web");
			assert_int_equal(s.opened.count, 0);
		}
		second.pid = 31;
		add(&s, &second);
		expect(&s, 31, "web");
		assert_int_equal(s.opened.count, 1);
	}
}

static void without_rules_no_process_is_read(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(modes); i++) {
		AUTO_SCENE struct scene s;
		AUTO_VIEW struct view *view = NULL;

		scene_open_with(&s, modes[i], NULL);
		add(&s, &nginx);
		view = run(&s);
		assert_int_equal(s.opened.count, 0);
		assert_string_equal(group_of(view, 20), OWNER_NONE);
		assert_false(ROW_HAS(view_host(view), SCOPE_NAMING_FAILURES));
	}
}

static void exec_changes_the_group(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(modes); i++) {
		AUTO_SCENE struct scene s;
		struct tree_process p = nginx;

		scene_open_with(&s, modes[i], RULES);
		add(&s, &p);
		expect(&s, 20, "web");
		p.image = 1;
		p.name = "postgres";
		p.cmdline = "/usr/bin/postgres -D /data";
		add(&s, &p);
		expect(&s, 20, "database");
		p.image = 2;
		p.name = "other";
		p.cmdline = "other";
		add(&s, &p);
		expect(&s, 20, OWNER_NONE);
	}
}

static void inherited_group_survives_exec_and_exit_of_the_parent(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(modes); i++) {
		AUTO_SCENE struct scene s;
		struct tree_process p = helper;

		scene_open_with(&s, modes[i], RULES);
		add(&s, &init);
		add(&s, &nginx);
		add(&s, &p);
		expect(&s, 30, "web");
		tree_remove(&s.tree, "20");
		p.parent = 1;
		add(&s, &p);
		expect(&s, 30, "web");
		p.image = 1;
		p.name = "sh";
		p.cmdline = "sh -c x";
		add(&s, &p);
		expect(&s, 30, "web");
		p.image = 2;
		p.name = "postgres";
		p.cmdline = "/usr/bin/postgres";
		add(&s, &p);
		expect(&s, 30, "database");
		/* It has matched since, so it inherits anew. */
		p.image = 3;
		p.name = "sh";
		p.cmdline = "sh";
		add(&s, &p);
		expect(&s, 30, OWNER_NONE);
	}
}

/* A process that was there without a group has none for its later children either. */
static void settled_ancestor_ends_the_search(void **state)
{
	AUTO_SCENE struct scene s;
	struct tree_process root = init, grandparent = init, parent = helper, child = helper;

	(void)state;
	scene_open(&s, RULES);
	parent.pid = 31;
	parent.parent = 1;
	child.pid = 32;
	child.parent = 31;
	root.pid = 4;
	add(&s, &root);
	add(&s, &grandparent);
	add(&s, &parent);
	expect(&s, 31, OWNER_NONE);
	grandparent.image = 1;
	grandparent.name = "nginx";
	add(&s, &grandparent);
	add(&s, &child);
	expect(&s, 1, "web");
	expect(&s, 32, OWNER_NONE);
}

/* The parent has exited, and another process has its pid. */
static void later_process_is_no_parent(void **state)
{
	AUTO_SCENE struct scene s;
	struct tree_process later = nginx;

	(void)state;
	scene_open(&s, RULES);
	later.start_ticks = 31;
	add(&s, &later);
	add(&s, &helper);
	expect(&s, 30, OWNER_NONE);
}

/* It was born while processes were listed. */
static void parent_may_be_listed_later(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(modes); i++) {
		AUTO_SCENE struct scene s;

		scene_open_with(&s, modes[i], RULES);
		add(&s, &helper);
		expect(&s, 30, OWNER_NONE);
		add(&s, &nginx);
		expect(&s, 30, "web");
		assert_int_equal(s.opened.count, 1);
	}
}

static void circles_of_parents_end(void **state)
{
	AUTO_SCENE struct scene s;
	struct tree_process a = helper, b = helper, self = helper;

	(void)state;
	scene_open(&s, RULES);
	a.pid = 31;
	a.parent = 32;
	b.pid = 32;
	b.parent = 31;
	self.pid = self.parent = 33;
	a.start_ticks = b.start_ticks = 7;
	add(&s, &a);
	add(&s, &b);
	add(&s, &self);
	expect(&s, 31, OWNER_NONE);
	expect(&s, 32, OWNER_NONE);
	expect(&s, 33, OWNER_NONE);
	assert_int_equal(s.opened.count, 0);
}

/* Kernel threads have no memory, so they are in no group and hand none down. */
static void kernel_threads_have_no_group(void **state)
{
	AUTO_SCENE struct scene s;
	struct tree_process thread = {.pid = 2, .name = "nginx", .cmdline = ""};
	struct tree_process child = helper;

	(void)state;
	scene_open(&s, RULES);
	child.parent = 2;
	add(&s, &thread);
	add(&s, &child);
	expect(&s, 30, OWNER_NONE);
	assert_int_equal(s.opened.count, 1);
}

/* The files of a dead leader are empty; those of a live thread are read. */
static void dead_leader_is_read_by_a_thread(void **state)
{
	AUTO_SCENE struct scene s;
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
	scene_open(&s, RULES);
	add(&s, &dead);
	tree_add_at(&s.tree, "40/task/41", &thread);
	expect(&s, 40, "database");
}

/* It has no group meanwhile, and neither have its children. */
static void unreadable_process_is_tried_again(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(modes); i++) {
		AUTO_SCENE struct scene s;
		AUTO_VIEW struct view *view = NULL;

		scene_open_with(&s, modes[i], RULES);
		add(&s, &nginx);
		add(&s, &helper);
		s.opened.nth = 1;
		s.opened.error = ETIMEDOUT;
		view = run(&s);
		assert_string_equal(group_of(view, 20), OWNER_NONE);
		assert_string_equal(group_of(view, 30), OWNER_NONE);
		s.opened.error = 0;
		expect(&s, 30, "web");
		assert_int_equal(s.opened.count, 1); /* the parent alone */
		expect(&s, 20, "web");
		assert_int_equal(s.opened.count, 0);
	}
}

/* A FIFO without a writer blocks its reader like a held lock. */
static void blocked_process_is_tried_again(void **state)
{
	const struct worker_request walk = {.op = WORKER_READ, .pid = 20, .path = "cmdline"};
	AUTO_SCENE struct scene s;
	AUTO_VIEW struct view *view = NULL;
	struct tree_process p = nginx;
	struct crew crew;

	(void)state;
	scene_open(&s, RULES);
	p.cmdline = NULL;
	add(&s, &init);
	add(&s, &p);
	add(&s, &helper);
	assert_int_equal(mkfifoat(s.tree.fd, "20/cmdline", 0600), 0);
	crew_open(&crew, s.tree.fd);
	pass_set_workers(s.pass, &crew.workers);
	view = run(&s);
	assert_string_equal(group_of(view, 20), OWNER_NONE);
	assert_string_equal(group_of(view, 30), OWNER_NONE);
	assert_int_equal(view_self(view)->q[SELF_BLOCKED_READS], 1);
	assert_true(s.pass->table.item[1]->block.is_walk); /* other files may still be read */
	crew_reap(&crew);
	/* Not before an attempt is due. */
	expect(&s, 20, OWNER_NONE);
	assert_int_equal(crew.workers.lanes.blocked, 1);
	tree_remove(&s.tree, "20/cmdline");
	add(&s, &nginx);
	s.pass->table.item[1]->block.next_ns = 0;
	for (int i = 0; i < 1000 && lanes_has_parked(&crew.workers.lanes, &walk); i++) {
		crew_reap(&crew);
		workers_begin_pass(&crew.workers);
		usleep(10000);
	}
	expect(&s, 30, "web");
	pass_set_workers(s.pass, NULL);
	crew_close(&crew);
}

/* An inherited group does not depend on what a process executes, unless a rule says so. */
static void unreadable_process_keeps_an_inherited_group(void **state)
{
	AUTO_SCENE struct scene s;
	struct tree_process p = helper;

	(void)state;
	scene_open(&s, RULES);
	add(&s, &nginx);
	add(&s, &p);
	expect(&s, 30, "web");
	p.image = 1;
	p.name = "postgres";
	p.cmdline = "/usr/bin/postgres";
	add(&s, &p);
	s.opened.error = ETIMEDOUT;
	expect(&s, 30, "web");
	s.opened.error = 0;
	expect(&s, 30, "database");
}

/* The worker reads by pid. */
static void later_process_with_the_pid_is_not_read(void **state)
{
	AUTO_SCENE struct scene s;
	AUTO_VIEW struct view *view = NULL;
	AUTO_CLOSE int fd = -1;
	struct tree_process later = helper;
	struct crew crew;
	int public_fd;

	(void)state;
	scene_open(&s, RULES);
	add(&s, &helper);
	crew_open(&crew, s.tree.fd);
	pass_set_workers(s.pass, &crew.workers);
	tree_expect(NULL, 0);
	assert_int_equal(pass_begin(s.pass), 0);
	while (s.pass->phase != PHASE_NAMEGROUPS)
		assert_int_equal(pass_step(s.pass, 0), PASS_MORE);
	tree_remove(&s.tree, "30");
	later.cmdline = "/usr/bin/postgres";
	add(&s, &later);
	assert_int_equal(run_steps(s.pass), 0);
	assert_int_equal(pass_publish(s.pass, false, &fd, &public_fd), 0);
	view = run_view(fd);
	assert_string_equal(group_of(view, 30), OWNER_NONE);
	pass_set_workers(s.pass, NULL);
	crew_close(&crew);
}

static char *long_cmdline(const char *first, size_t len)
{
	char *text = malloc(len + 1);

	assert_non_null(text);
	memset(text, 'x', len);
	memcpy(text, first, strlen(first));
	text[len] = 0;
	return text;
}

/* With workers, and without. */
static void long_command_line_is_cut(void **state)
{
	(void)state;
	for (int has_workers = 0; has_workers < 2; has_workers++) {
		AUTO_SCENE struct scene s;
		AUTO_VIEW struct view *view = NULL;
		AUTO_FREE char *most = long_cmdline("/usr/bin/postgres ", NAMING_CMDLINE_MAX - 1);
		AUTO_FREE char *more = long_cmdline("/usr/bin/postgres ", NAMING_CMDLINE_MAX);
		struct tree_process p = helper, q = helper;
		struct crew crew;

		scene_open(&s, RULES);
		p.cmdline = most;
		q.cmdline = more;
		q.pid = 31;
		add(&s, &p);
		add(&s, &q);
		crew_open(&crew, s.tree.fd);
		if (has_workers)
			pass_set_workers(s.pass, &crew.workers);
		view = run(&s);
		assert_string_equal(group_of(view, 30), "database");
		assert_string_equal(group_of(view, 31), "database");
		assert_int_equal(failures(view), 1);
		pass_set_workers(s.pass, NULL);
		crew_close(&crew);
	}
}

static void failures_of_rules_are_counted_once(void **state)
{
	AUTO_SCENE struct scene s;
	AUTO_VIEW struct view *view = NULL, *again = NULL;

	(void)state;
	scene_open(&s, "process_names:\n- comm: [nginx]\n  name: 'a{{index .Cgroups 7}}b'\n");
	add(&s, &nginx);
	add(&s, &helper);
	view = run(&s);
	assert_string_equal(group_of(view, 20), "a");
	assert_int_equal(failures(view), 1);
	again = run(&s);
	assert_int_equal(failures(again), 1);
}

static void rules_see_the_cgroup(void **state)
{
	AUTO_SCENE struct scene s;
	AUTO_VIEW struct view *view = NULL;
	struct tree_process p = nginx, q = helper;

	(void)state;
	scene_open(&s, "process_names:\n- cmdline: ['.+']\n  name: '{{.Cgroups}}'\n");
	p.cgroup = "/system.slice/nginx.service";
	q.cgroup = "/user.slice";
	add(&s, &p);
	add(&s, &q);
	add(&s, &init);
	view = run(&s);
	assert_string_equal(group_of(view, 20), "[/system.slice/nginx.service]");
	assert_string_equal(group_of(view, 30), "[/user.slice]");
	assert_string_equal(group_of(view, 1), "[]");
}

#define BY_USER "process_names:\n- comm: [nginx]\n  name: 'of {{.Username}}'\n"

/* run_pass() answers when the pass asks: before groups are counted. */
static void names_of_users_are_waited_for(void **state)
{
	(void)state;
	for (int by_login = 0; by_login < 2; by_login++) {
		AUTO_SCENE struct scene s;
		struct pass_options o = run_exact;
		struct tree_process p = nginx;

		o.user_by = by_login ? ACCOUNTING_LOGIN : ACCOUNTING_EFFECTIVE;
		scene_open_with(&s, &o, BY_USER);
		p.uid = 1000;
		add(&s, &p);
		expect(&s, 20, "of alice");
		expect(&s, 20, "of alice");
		assert_int_equal(s.opened.count, 0);
	}
}

/* Makes a pass in which no name is answered. */
static struct view *run_unanswered(struct scene *s)
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
		AUTO_SCENE struct scene s;
		AUTO_VIEW struct view *view = NULL, *again = NULL, *named = NULL;
		struct pass_options o = run_exact;
		struct tree_process p = nginx, child = helper;

		o.user_by = by_login ? ACCOUNTING_LOGIN : ACCOUNTING_EFFECTIVE;
		scene_open_with(&s, &o, BY_USER);
		p.uid = 1000;
		add(&s, &p);
		add(&s, &child);
		view = run_unanswered(&s);
		assert_string_equal(group_of(view, 20), "of 1000");
		assert_string_equal(group_of(view, 30), "of 1000");
		again = run_unanswered(&s);
		assert_string_equal(group_of(again, 30), "of 1000");
		assert_int_equal(s.opened.count, 0);
		assert_true(pass_awaits_names(s.pass) == false);
		pass_name(s.pass, &(struct principal){OWNER_USER, 1000}, "alice");
		named = run_unanswered(&s);
		assert_string_equal(group_of(named, 20), "of alice");
		assert_string_equal(group_of(named, 30), "of alice");
		assert_int_equal(s.opened.count, 1);
		expect(&s, 30, "of alice");
		assert_int_equal(s.opened.count, 0);
		expect(&s, 30, "of alice");
		assert_int_equal(s.pass->namegroups.users.count, 0);
	}
}

/* Rules that run again for a name do not make other reads again. */
static void unreadable_process_is_read_once_in_a_pass(void **state)
{
	AUTO_SCENE struct scene s;
	AUTO_VIEW struct view *view = NULL;
	struct tree_process p = nginx, q = helper;

	(void)state;
	scene_open(&s, BY_USER);
	p.uid = 1000;
	q.cmdline = NULL;
	add(&s, &p);
	add(&s, &q);
	view = run_unanswered(&s);
	assert_string_equal(group_of(view, 20), "of 1000");
	assert_string_equal(group_of(view, 30), OWNER_NONE);
	assert_int_equal(s.opened.count, 2);
}

/* Also those that matched no rule before. */
static void new_rules_assign_all_processes_anew(void **state)
{
	AUTO_SCENE struct scene s;
	AUTO_VIEW struct view *none = NULL;

	(void)state;
	scene_open(&s, RULES);
	add(&s, &init);
	add(&s, &nginx);
	add(&s, &helper);
	expect(&s, 30, "web");
	pass_set_naming(s.pass, rules_of("process_names:\n- comm: [systemd]\n"));
	expect(&s, 30, "init");
	pass_set_naming(s.pass, NULL);
	none = run(&s);
	assert_int_equal(s.opened.count, 0);
	for (uint32_t i = 0; i < view_count(none, METRIC_PROCESS); i++)
		assert_string_equal(
			view_owner(none, view_process(none, i), OWNER_NAMEGROUP), OWNER_NONE);
	assert_false(ROW_HAS(view_host(none), SCOPE_NAMING_FAILURES));
}

/* Rules that are set during a pass hold from the next one on. */
static void rules_do_not_change_within_a_pass(void **state)
{
	AUTO_SCENE struct scene s;
	AUTO_VIEW struct view *view = NULL;
	AUTO_CLOSE int fd = -1;
	int public_fd;

	(void)state;
	scene_open(&s, RULES);
	add(&s, &nginx);
	assert_int_equal(pass_begin(s.pass), 0);
	pass_set_naming(s.pass, rules_of("process_names:\n- comm: [nginx]\n  name: x\n"));
	pass_set_naming(s.pass, rules_of("process_names:\n- comm: [nginx]\n  name: y\n"));
	assert_int_equal(run_steps(s.pass), 0);
	assert_int_equal(pass_publish(s.pass, false, &fd, &public_fd), 0);
	view = run_view(fd);
	assert_string_equal(group_of(view, 20), "web");
	expect(&s, 20, "y");
}

enum { COSTLY = 60, COSTLY_PID = 100 };

/* Adds processes that take the rules below a million steps each, and a cheap one behind them. */
static void add_costly(const struct scene *s, unsigned int image, const char *cmdline)
{
	struct tree_process p = helper;

	for (int i = 0; i <= COSTLY; i++) {
		p.pid = COSTLY_PID + i;
		p.parent = 1;
		p.image = image;
		p.cmdline = i < COSTLY ? cmdline : "cheap";
		add(s, &p);
	}
}

static struct naming_rules *costly_rules(void)
{
	AUTO_BUFFER struct buffer text = {0};

	buffer_add_text(&text, "process_names:\n");
	for (int i = 0; i < 40; i++)
		buffer_add_text(&text, "- cmdline: ['x*x*[yz]']\n  name: x\n");
	buffer_add_text(&text, "- cmdline: ['^xxx']\n  name: costly\n");
	buffer_add_text(&text, "- comm: [helper]\n  name: last\n");
	buffer_add_char(&text, 0);
	assert_int_equal(text.error, 0);
	return rules_of(text.data);
}

/* Returns how many of the costly processes from index FROM on have a group. */
static int count_grouped(const struct view *view, int from)
{
	int count = 0;

	for (int i = from; i < COSTLY; i++)
		count += strcmp(group_of(view, COSTLY_PID + i), "last") == 0;
	return count;
}

/* Each has its turn, although all of them are new in each pass; cheap processes never wait. */
static void costly_processes_wait_for_later_passes(void **state)
{
	AUTO_FREE char *line = long_cmdline("", 4000);
	AUTO_SCENE struct scene s;
	AUTO_VIEW struct view *first = NULL, *second = NULL, *third = NULL;
	int done;

	(void)state;
	scene_open(&s, NULL);
	pass_set_naming(s.pass, costly_rules());
	add_costly(&s, 1, line);
	first = run(&s);
	done = count_grouped(first, 0);
	assert_in_range(done, COSTLY / 2, COSTLY - 1);
	assert_int_equal(count_grouped(first, done), 0); /* the first ones */
	assert_string_equal(group_of(first, COSTLY_PID + COSTLY), "last");
	assert_int_equal(failures(first), done);
	add_costly(&s, 2, line);
	second = run(&s);
	assert_int_equal(count_grouped(second, 0), COSTLY - done);
	assert_int_equal(count_grouped(second, done), COSTLY - done);
	assert_string_equal(group_of(second, COSTLY_PID + COSTLY), "last");
	third = run(&s);
	assert_int_equal(count_grouped(third, 0), COSTLY);
}

/*
 * But in the first pass of new rules they may take more. Processes that wait are not read, so that
 * they take nothing of a pass.
 */
static void costly_processes_take_a_part_of_the_budget(void **state)
{
	AUTO_FREE char *line = long_cmdline("", 4000);
	AUTO_SCENE struct scene s;
	AUTO_VIEW struct view *first = NULL, *second = NULL, *third = NULL;
	struct pass_options o = run_adaptive;

	(void)state;
	o.budget_cpu_ppm = CPU_BUDGET_PPM_PER_PERCENT;
	scene_open_with(&s, &o, NULL);
	pass_set_naming(s.pass, costly_rules());
	add_costly(&s, 1, line);
	first = run(&s);
	assert_in_range(count_grouped(first, 0), COSTLY / 2, COSTLY - 1);
	add_costly(&s, 2, line);
	second = run(&s);
	assert_in_range(count_grouped(second, 0), 1, 5);
	assert_string_equal(group_of(second, COSTLY_PID + COSTLY), "last");
	assert_int_equal(s.opened.count, COSTLY + 1);
	third = run(&s);
	assert_in_range(s.opened.count, 1, 5);
	assert_int_equal(count_grouped(third, 0), count_grouped(second, 0) + (int)s.opened.count);
	assert_int_equal(failures(third), failures(second) + s.opened.count);
}

/* There is no later pass. */
static void single_pass_finishes_costly_processes(void **state)
{
	AUTO_FREE char *line = long_cmdline("", 4000);
	AUTO_SCENE struct scene s;
	AUTO_VIEW struct view *view = NULL;
	struct pass_options o = run_exact;

	(void)state;
	o.is_single = true;
	scene_open_with(&s, &o, NULL);
	pass_set_naming(s.pass, costly_rules());
	add_costly(&s, 1, line);
	view = run(&s);
	assert_int_equal(count_grouped(view, 0), COSTLY);
}

static int try_passes(struct scene *s, unsigned int failing)
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
		AUTO_SCENE struct scene s;
		AUTO_VIEW struct view *view = NULL;

		scene_open(&s, RULES);
		add(&s, &init);
		add(&s, &nginx);
		add(&s, &helper);
		tree_expect(&s.opened, 1);
		(void)try_passes(&s, n);
		(void)allocation_end();
		view = run(&s);
		assert_string_equal(group_of(view, 1), OWNER_NONE);
		assert_string_equal(group_of(view, 20), "web");
		assert_string_equal(group_of(view, 30), "web");
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(blocked_process_is_tried_again),
		cmocka_unit_test(later_process_with_the_pid_is_not_read),
		cmocka_unit_test(long_command_line_is_cut),
		cmocka_unit_test(rules_and_ancestors_name_groups),
		cmocka_unit_test(order_of_pids_does_not_matter),
		cmocka_unit_test(unchanged_process_is_not_read_again),
		cmocka_unit_test(without_rules_no_process_is_read),
		cmocka_unit_test(exec_changes_the_group),
		cmocka_unit_test(inherited_group_survives_exec_and_exit_of_the_parent),
		cmocka_unit_test(settled_ancestor_ends_the_search),
		cmocka_unit_test(later_process_is_no_parent),
		cmocka_unit_test(parent_may_be_listed_later),
		cmocka_unit_test(circles_of_parents_end),
		cmocka_unit_test(kernel_threads_have_no_group),
		cmocka_unit_test(dead_leader_is_read_by_a_thread),
		cmocka_unit_test(unreadable_process_is_tried_again),
		cmocka_unit_test(unreadable_process_keeps_an_inherited_group),
		cmocka_unit_test(unreadable_process_is_read_once_in_a_pass),
		cmocka_unit_test(failures_of_rules_are_counted_once),
		cmocka_unit_test(rules_see_the_cgroup),
		cmocka_unit_test(names_of_users_are_waited_for),
		cmocka_unit_test(names_of_users_may_come_late),
		cmocka_unit_test(new_rules_assign_all_processes_anew),
		cmocka_unit_test(costly_processes_wait_for_later_passes),
		cmocka_unit_test(costly_processes_take_a_part_of_the_budget),
		cmocka_unit_test(single_pass_finishes_costly_processes),
		cmocka_unit_test(rules_do_not_change_within_a_pass),
		cmocka_unit_test(recovers_from_each_failed_allocation),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
