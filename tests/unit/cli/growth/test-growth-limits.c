/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests of cli/growth/growth-limits.h and limit-text.h, with a directory that looks like /proc and a hierarchy of
 * cgroups.
 */
#include "config.h"

#include "tests/unit/support/unit.h"

#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "base/cleanup.h"
#include "cli/growth/growth-limits.h"
#include "cli/growth/limit-text.h"
#include "tests/unit/support/snapshot/growing.h"
#include "tests/unit/support/tree/tree.h"

#define HEAD "Limit                     Soft Limit           Hard Limit           Units     \n"

static void reads_the_soft_limit_of_the_address_space(void **state)
{
	static const struct {
		const char *text;
		bool is_there;
		uint64_t value;
	} cases[] = {
		{HEAD "Max address space         4294967296           unlimited            bytes     \n",
			true, 4294967296},
		{HEAD "Max address space         unlimited            unlimited            bytes     \n",
			false, 0},
		{HEAD "Max data size             4096                 unlimited            bytes     \n",
			false, 0},
		{HEAD "Max address space         4096", false, 0}, /* cut off */
		{"", false, 0},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		uint64_t value = 0;

		assert_int_equal(
			limit_text_parse_space(cases[i].text, strlen(cases[i].text), &value),
			cases[i].is_there);
		assert_int_equal(value, cases[i].value);
	}
}

static void finds_the_cgroup_of_the_memory_controller(void **state)
{
	static const struct {
		const char *text;
		bool is_unified;
		const char *path; /* NULL: none */
	} cases[] = {
		{"0::/system.slice/db.service\n", true, "/system.slice/db.service"},
		{"0::/\n", true, "/"},
		{"0::/system.slice/db.service\n", false, NULL},
		{"12:cpu,memory:/a:b\n1:name=systemd:/c\n0::/d\n", false, "/a:b"},
		{"12:cpu,memory:/a:b\n1:name=systemd:/c\n0::/d\n", true, "/d"},
		{"12:cpu,memoryx:/a\n", false, NULL},
		{"0::/../other.slice\n", true, NULL}, /* outside of the namespace */
		{"0::/a/../../../etc\n", true, NULL},
		{"0::/sixteen-bytes/ab\n", true, NULL},
		{"0::/fifteen-bytes\n", true, "/fifteen-bytes"},
		{"0::relative\n", true, NULL},
		{"nonsense\n", true, NULL},
		{"", true, NULL},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		size_t size = strstr(cases[i].text, "teen-") ? 16 : 64;
		char path[64] = "";

		assert_int_equal(limit_text_parse_cgroup(cases[i].text, strlen(cases[i].text),
					 cases[i].is_unified, path, size),
			cases[i].path != NULL);
		assert_string_equal(path, cases[i].path ? cases[i].path : "");
	}
}

enum { PID = 7, ROWS = 4 };

/* A process in a unit below a slice, and a program. */
struct scene {
	struct tree tree;
	char path[PATH_MAX];
	struct view *view;
	struct growth_rows rows;
	struct growth_row
		row[ROWS]; /* the process, the unit, the program, and one that is steady */
};

static void scene_write_mounts(struct scene *s)
{
	char text[2 * PATH_MAX];
	struct stat st;

	assert_int_equal(fstat(s->tree.fd, &st), 0);
	snprintf(text, sizeof(text),
		"36 35 %u:%u / %s/cgroup rw,relatime shared:1 - cgroup2 cgroup rw\n",
		major(st.st_dev), minor(st.st_dev), s->path);
	tree_write(&s->tree, "self/mountinfo", text);
}

static void scene_open(struct scene *s)
{
	const struct trend grows = {.verdict = TREND_WATCH, .slope = 1};
	AUTO_SMALL struct small small = {0};
	struct snapshot_process *process;
	uint32_t unit;

	*s = (struct scene){.rows = {.rows = ROWS}};
	tree_open(&s->tree);
	assert_non_null(realpath(s->tree.path, s->path));
	scene_write_mounts(s);
	tree_write(&s->tree, "7/cgroup", "0::/a.slice/db.service\n");
	tree_write(&s->tree, "7/limits",
		HEAD
		"Max address space         419430400            unlimited            bytes     \n");
	tree_write(&s->tree, "cgroup/cgroup.controllers", "cpu memory pids\n");
	tree_write(&s->tree, "cgroup/a.slice/cgroup.controllers", "memory\n");
	tree_write(&s->tree, "cgroup/a.slice/memory.max", "262144000\n");
	tree_write(&s->tree, "cgroup/a.slice/memory.current", "52428800\n");
	tree_write(&s->tree, "cgroup/a.slice/db.service/memory.max", "max\n");
	tree_write(&s->tree, "cgroup/a.slice/db.service/memory.current", "52428800\n");
	small_begin(&small);
	ROW_SET(small.host, SCOPE_MEM_AVAILABLE, 1000 * GROWING_MIB);
	growing_add_owner(&small.builder, METRIC_UNIT, "db.service", 0, 50);
	growing_add_owner(&small.builder, METRIC_PROGRAM, "db", 0, 50);
	unit = builder_add_text(&small.builder, "db.service", 10);
	process = growing_add_process(&small.builder, PID, "alice", "db", 1, 50);
	process->owner[OWNER_UNIT] = unit;
	ROW_SET(process, PROCESS_VM_SIZE, 100 * GROWING_MIB);
	s->view = small_view(&small.builder, NULL);
	s->row[0] = (struct growth_row){
		.scope = METRIC_PROCESS, .pid = PID, .is_judged = true, .trend = grows};
	s->row[1] = (struct growth_row){.scope = METRIC_UNIT, .is_judged = true, .trend = grows};
	s->row[2] = (struct growth_row){.scope = METRIC_PROGRAM, .is_judged = true, .trend = grows};
	s->row[3] = (struct growth_row){.scope = METRIC_UNIT, .is_judged = true};
	s->rows.row = s->row;
}

static void scene_close(struct scene *s)
{
	view_unref(s->view);
	tree_done(&s->tree);
}
#define AUTO_SCENE CLEANUP(scene_close)

/* Asserts that row I has the limit NAME, with ROOM in MiB. */
static void scene_check(struct scene *s, size_t i, const char *name, uint64_t room)
{
	const struct settings settings = {.path_procfs = s->path};

	s->row[i].limit = (struct growth_limit){NULL, 0};
	growth_limits_find(&s->rows, s->view, &settings);
	assert_string_equal(s->row[i].limit.name, name);
	assert_int_equal(s->row[i].limit.room, room * GROWING_MIB);
}

static void the_limit_with_the_least_room_applies(void **state)
{
	AUTO_SCENE struct scene s;

	(void)state;
	scene_open(&s);
	scene_check(&s, 0, "memory.max", 200);
	scene_check(&s, 1, "memory.max", 200);
	scene_check(&s, 2, "MemAvailable", 1000);
	assert_null(s.row[3].limit.name);
	tree_write(&s.tree, "cgroup/a.slice/db.service/memory.max", "62914560\n");
	scene_check(&s, 0, "memory.max", 10);
	scene_check(&s, 1, "memory.max", 10);
}

static void limits_that_cannot_be_read_are_absent(void **state)
{
	AUTO_SCENE struct scene s;

	(void)state;
	scene_open(&s);
	tree_remove(&s.tree, "cgroup/a.slice/memory.current");
	scene_check(&s, 0, "RLIMIT_AS", 300);
	scene_check(&s, 1, "MemAvailable", 1000);
	tree_remove(&s.tree, "7/limits");
	scene_check(&s, 0, "MemAvailable", 1000);
	tree_remove(&s.tree, "self/mountinfo");
	tree_remove(&s.tree, "7/cgroup");
	scene_check(&s, 0, "MemAvailable", 1000);
}

static void memory_above_its_limit_has_no_room(void **state)
{
	AUTO_SCENE struct scene s;

	(void)state;
	scene_open(&s);
	tree_write(&s.tree, "cgroup/a.slice/memory.current", "262144001\n");
	scene_check(&s, 0, "memory.max", 0);
	tree_remove(&s.tree, "cgroup/a.slice/memory.max");
	tree_write(&s.tree, "7/limits",
		HEAD "Max address space         4096            unlimited            bytes     \n");
	scene_check(&s, 0, "RLIMIT_AS", 0);
}

/* A mount shows the hierarchy from a container's cgroup on. */
static void a_mount_may_begin_below_the_root(void **state)
{
	AUTO_SCENE struct scene s;
	struct stat st;
	char text[2 * PATH_MAX];

	(void)state;
	scene_open(&s);
	assert_int_equal(fstat(s.tree.fd, &st), 0);
	snprintf(text, sizeof(text),
		"36 35 %u:%u /a.slice %s/cgroup/a.slice rw shared:1 - cgroup2 cgroup rw\n",
		major(st.st_dev), minor(st.st_dev), s.path);
	tree_write(&s.tree, "self/mountinfo", text);
	scene_check(&s, 0, "memory.max", 200);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_the_soft_limit_of_the_address_space),
		cmocka_unit_test(finds_the_cgroup_of_the_memory_controller),
		cmocka_unit_test(the_limit_with_the_least_room_applies),
		cmocka_unit_test(limits_that_cannot_be_read_are_absent),
		cmocka_unit_test(memory_above_its_limit_has_no_room),
		cmocka_unit_test(a_mount_may_begin_below_the_root),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
