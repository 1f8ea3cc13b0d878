/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "tests/unit/unit.h"

#include "base/clock.h"
#include "tests/unit/scene.h"
#include "tests/unit/walk.h"

const struct tree_process scene_cast[SCENE_CAST] = {
	{.pid = 1,
		.name = "systemd",
		.rss_kib = 9000,
		.pss_kib = 4000,
		.uss_kib = 3000,
		.exe = "/usr/lib/systemd/systemd",
		.cgroup = "/init.scope"},
	{.pid = 2, .name = "kthreadd", .state = 'I'},
	{.pid = 10,
		.name = "sshd",
		.rss_kib = 8000,
		.pss_kib = 2001,
		.uss_kib = 1000,
		.cgroup = "/system.slice/ssh.service"},
	{.pid = 11,
		.name = "sshd",
		.uid = 1000,
		.rss_kib = 8000,
		.pss_kib = 2002,
		.uss_kib = 900,
		.cgroup = "/user.slice/user-1000.slice/session-2.scope"},
	{.pid = 12,
		.name = "bash",
		.uid = 1000,
		.rss_kib = 5000,
		.pss_kib = 1503,
		.uss_kib = 1100,
		.swap_kib = 64,
		.cgroup = "/user.slice/user-1000.slice/session-2.scope"},
	{.pid = 13,
		.name = "app",
		.uid = 1001,
		.rss_kib = 70000,
		.pss_kib = 65004,
		.uss_kib = 60000,
		.cgroup = "/user.slice/user-1001.slice/user@1001.service/app.slice/app-1.scope"},
	{.pid = 14,
		.name = "gone-soon",
		.uid = 1001,
		.rss_kib = 100,
		.pss_kib = 100,
		.uss_kib = 100},
};

const struct pass_options scene_options = {
	.version = "1.2.3",
	.interval_ns = 10 * NS_PER_SEC,
	.export_users = 100,
	.export_programs = 100,
	.export_units = 100,
	.export_processes = 100,
};

static void add_host(const struct scene *s)
{
	tree_write(&s->tree, "stat", "cpu  1 2 3\nbtime 1700000000\nprocesses 7\n");
	tree_write(&s->tree, "meminfo", "MemTotal: 1000000 kB\nMemAvailable: 600000 kB\n");
}

void scene_open(struct scene *s, bool is_empty)
{
	struct pass_options o = scene_options;

	tree_expect(NULL, 0);
	tree_open(&s->tree);
	for (size_t i = 0; !is_empty && i < SCENE_CAST; i++)
		tree_add(&s->tree, &scene_cast[i]);
	if (is_empty)
		tree_write(&s->tree, "stat", ""); /* by which it is known for a proc */
	else
		add_host(s);
	o.procfs = s->tree.path;
	assert_int_equal(pass_open(&o, &s->pass), 0);
}

void scene_done(struct scene *s)
{
	tree_expect(NULL, 0);
	pass_free(s->pass);
	tree_done(&s->tree);
}

const struct snapshot_scope *scene_find(
	const struct view *view, enum metric_scope scope, const char *name)
{
	for (uint32_t i = 0; i < view_count(view, scope); i++) {
		const struct snapshot_scope *row = view_scope(view, scope, i);

		if (!strcmp(view_text(view, row->name), name))
			return row;
	}
	fail_msg("there is no '%s'", name);
	return NULL;
}

void scene_assert_sums(const struct view *view)
{
	const char *wrong = walk_sums(view);

	if (wrong)
		fail_msg("%s", wrong);
}
