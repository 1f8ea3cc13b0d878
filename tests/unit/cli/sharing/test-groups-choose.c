/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests of cli/sharing/groups.h: groups of a sample's processes, and named processes that
 * it lacks.
 */
#include "config.h"

#include "tests/unit/support/unit.h"

#include <signal.h>
#include <sys/prctl.h>

#include "base/clock.h"
#include "cli/common/reading/supervisor.h"
#include "cli/sharing/groups.h"
#include "inspect/maps/target.h"
#include "tests/unit/support/snapshot/sample.h"

enum { THERE = 1000, BLOCKS = 77, PATIENCE_S = 60 };

int __real_target_open(const struct procfs *procfs, pid_t pid, struct target *ret);
int __wrap_target_open(const struct procfs *procfs, pid_t pid, struct target *ret);

/* Opening process BLOCKS sleeps like a blocked read: in state D, until SIGKILL. */
int __wrap_target_open(const struct procfs *procfs, pid_t pid, struct target *ret)
{
	if (pid != BLOCKS)
		return __real_target_open(procfs, pid, ret);
	if (vfork() == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (;;)
			pause();
	}
	return -EIO;
}

struct making {
	const struct inspection *options;
	const struct view *view;
	struct procfs procfs;
	struct groups groups;
	bool has_failed;
};

static int make(void *context)
{
	struct making *m = context;

	return groups_choose(m->options, m->view, &m->procfs, &m->groups, &m->has_failed);
}

static void skips_a_missing_process_that_blocks(void **state)
{
	AUTO_VIEW struct view *view = sample_open(NULL);
	struct pid_selection_process process[] = {{.pid = BLOCKS}, {.pid = THERE}};
	const struct inspection options = {
		.chosen = {.process = process, .count = ARRAY_SIZE(process)}, .by = OWNER_KINDS};
	struct making m = {.options = &options, .view = view, .procfs = {.fd = -1}};

	(void)state;
	alarm(PATIENCE_S); /* reaching this means failure */
	assert_int_equal(procfs_open("/proc", &m.procfs), 0);
	assert_int_equal(supervisor_run("/proc", make, &m), 0);
	assert_true(m.has_failed);
	assert_int_equal(m.groups.groups, 2);
	assert_true(m.groups.group[0].is_chosen);
	assert_int_equal(m.groups.group[0].processes, 1);
	assert_int_equal(m.groups.member[0].pid, THERE);
	groups_done(&m.groups);
	procfs_close(&m.procfs);
	alarm(0);
}

/*
 * The first of two groups consists of the named processes. 1001 is in it because 1002 has its
 * address space.
 */
static void named_processes_are_chosen(void **state)
{
	AUTO_VIEW struct view *view = sample_open(NULL);
	struct pid_selection_process process[] = {{.pid = 2001}, {.pid = 1002}};
	const struct inspection options = {
		.chosen = {.process = process, .count = ARRAY_SIZE(process)}, .by = OWNER_KINDS};
	struct making m = {.options = &options, .view = view, .procfs = {.fd = -1}};

	(void)state;
	assert_int_equal(make(&m), 0);
	assert_false(m.has_failed);
	for (size_t i = 0; i < m.groups.members; i++) {
		const struct groups_member *member = &m.groups.member[i];
		bool is_named = member->pid == 2001 || member->pid == 1001;

		assert_int_equal(member->is_named, is_named);
		assert_int_equal(m.groups.group[member->group].is_chosen, is_named);
	}
	groups_done(&m.groups);
}

/* Returns the CPU time to choose all of COUNT processes by pid. */
static uint64_t choose_many(size_t count)
{
	AUTO_VIEW struct view *view = sample_open(
		&(struct sample_options){.more = (uint32_t)count});
	AUTO_FREE struct pid_selection_process *process = calloc(count, sizeof(*process));
	const struct inspection options = {
		.chosen = {.process = process, .count = count}, .by = OWNER_KINDS};
	struct making m = {.options = &options, .view = view, .procfs = {.fd = -1}};
	uint64_t begin_ns, took_ns;

	assert_non_null(process);
	for (size_t i = 0; i < count; i++)
		process[i].pid = (pid_t)(SAMPLE_FIRST_MORE + i);
	begin_ns = clock_now_ns(CLOCK_PROCESS_CPUTIME_ID);
	assert_int_equal(make(&m), 0);
	took_ns = clock_now_ns(CLOCK_PROCESS_CPUTIME_ID) - begin_ns;
	assert_int_equal(m.groups.group[0].processes, count);
	groups_done(&m.groups);
	return took_ns;
}

/*
 * Eight times as many pids take about nine times as long. They took 64 times as long when each pid
 * was compared with all.
 */
static void time_to_choose_is_nearly_linear(void **state)
{
	(void)state;
	unit_assert_ratio(choose_many, 5000, 40000, 24);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(skips_a_missing_process_that_blocks),
		cmocka_unit_test(named_processes_are_chosen),
		cmocka_unit_test(time_to_choose_is_nearly_linear),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
