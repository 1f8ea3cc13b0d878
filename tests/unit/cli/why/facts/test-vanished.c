/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of cli/why/facts/vanished.h: processes that vanished at an event. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include "cli/why/facts/vanished.h"
#include "tests/unit/support/cli/episode.h"

static const uint64_t mib = 1 << 20;

/* The kill is at the first snapshot after it; others are at EARLIER and LATER (0: none). */
static void find_between(const struct episode *e, const struct moments *m, size_t earlier,
	size_t later, struct cause *c, struct vanished *ret)
{
	const struct incident incident = {
		.kind = INCIDENT_OOM,
		.first_ns = episode_time_ns(e, e->befores),
		.last_ns = episode_time_ns(e, e->befores),
		.earlier_kill_ns = earlier ? episode_time_ns(e, earlier) : 0,
		.later_kill_ns = later ? episode_time_ns(e, later) : 0,
	};

	assert_int_equal(cause_find(m, &incident, c), 0);
	vanished_find(m, &incident, c, false, ret);
}

static void find(
	const struct episode *e, const struct moments *m, struct cause *c, struct vanished *ret)
{
	find_between(e, m, 0, 0, c, ret);
}

static void the_killed_process_is_first(void **state)
{
	AUTO_EPISODE struct moments m;
	struct vanished v;
	struct episode e;
	struct cause c;

	(void)state;
	episode_of_kill(&e);
	e.process[2].pss_mib[5] = 50000; /* a larger process elsewhere is gone, too */
	episode_open(&e, &m);
	find(&e, &m, &c, &v);
	assert_int_equal(v.count, 2);
	assert_int_equal(v.listed, 2);
	assert_int_equal(v.bytes, (50000 + 42208 + 800) * mib);
	assert_int_equal(v.item[0].row->pid, 4711);
	assert_int_equal(v.item[0].bytes, (42208 + 800) * mib);
	assert_int_equal(v.item[0].owner, 0);
	assert_int_equal(v.item[1].row->pid, 4700);
	assert_int_equal(v.item[1].owner, CAUSE_OWNERS_MAX);
	assert_int_equal(v.inside[0], 1);
	assert_true(vanished_are_killed(&v, &c, 0));
	assert_false(vanished_are_killed(&v, &c, v.item[1].owner));
}

static void more_gone_than_killed_are_only_gone(void **state)
{
	AUTO_EPISODE struct moments m;
	struct vanished v;
	struct episode e;
	struct cause c;

	(void)state;
	episode_of_kill(&e);
	episode_add(&e, &(struct episode_process){.pid = 4713,
				.uid = 1003,
				.program = "vim",
				.user = "1003",
				.unit = "session-7.scope",
				.slice = "user-1003.slice",
				.start_s = -3700,
				.pss_mib = {4, 4, 4, 4, 4, 4}});
	episode_open(&e, &m);
	find(&e, &m, &c, &v);
	assert_int_equal(v.inside[0], 2);
	assert_false(vanished_are_killed(&v, &c, 0));
}

/* A killed process needs time to exit; others that exit later have nothing to do with it. */
static void a_killed_process_may_vanish_later(void **state)
{
	AUTO_EPISODE struct moments m;
	struct vanished v;
	struct episode e;
	struct cause c;

	(void)state;
	episode_of_kill(&e);
	e.process[2].pss_mib[6] = 5;
	e.process[3].pss_mib[6] = e.process[3].pss_mib[7] = 100;
	e.process[3].zombie_at = 7;
	episode_open(&e, &m);
	find(&e, &m, &c, &v);
	assert_int_equal(v.count, 1);
	assert_int_equal(v.item[0].row->pid, 4711);
}

/* A process of the cgroup that ends after the kill was not killed. */
static void who_exits_after_the_killed_one_was_not_killed(void **state)
{
	AUTO_EPISODE struct moments m;
	struct vanished v;
	struct episode e;
	struct cause c;

	(void)state;
	episode_of_kill(&e);
	e.process[4].pss_mib[6] =
		5; /* the cgroup's shell ends between the two snapshots after it */
	e.process[4].pss_mib[7] = 0;
	e.kills[7] = e.kills[6] +
	             1; /* together with the next kill of the cgroup, which is counted late */
	e.counter[0].kills[6] = 0;
	e.counter[0].kills[7] = 2;
	e.counter[1].kills[6] = e.counter[1].kills[5];
	e.counter[1].kills[7] = e.counter[1].kills[5] + 2;
	episode_add(&e, &(struct episode_process){.pid = 4720,
				.uid = 1003,
				.program = "sshd",
				.user = "1003",
				.unit = "session-7.scope",
				.slice = "user-1003.slice",
				.start_s = -3700,
				.pss_mib = {4, 4, 4, 4, 4, 4, 4, 4}});
	episode_open(&e, &m);
	find_between(&e, &m, 0, 7, &c, &v);
	assert_int_equal(c.kills, 1);
	assert_int_equal(c.owners, 1);
	assert_int_equal(c.owner[0].kills, 1);
	assert_int_equal(v.inside[0], 1);
	assert_int_equal(v.item[0].row->pid, 4711);
	assert_int_equal(v.item[0].owner, 0);
	assert_true(vanished_are_killed(&v, &c, 0));
	for (size_t i = 1; i < v.listed; i++)
		assert_int_equal(v.item[i].owner, CAUSE_OWNERS_MAX);
}

static void a_reused_pid_is_another_process(void **state)
{
	AUTO_EPISODE struct moments m;
	struct vanished v;
	struct episode e;
	struct cause c;

	(void)state;
	episode_of_kill(&e);
	e.process[4] = e.process[3]; /* its pid, now of a process that started later */
	e.process[4].start_s = -2;
	memset(e.process[4].pss_mib, 0, sizeof(e.process[4].pss_mib));
	e.process[4].pss_mib[6] = e.process[4].pss_mib[7] = 1;
	episode_open(&e, &m);
	find(&e, &m, &c, &v);
	assert_int_equal(v.item[0].row->pid, 4711);
	assert_int_equal(v.inside[0], 1);
}

static void lists_the_largest_ten(void **state)
{
	AUTO_EPISODE struct moments m;
	struct vanished v;
	struct episode e;
	struct cause c;

	(void)state;
	episode_of_kill(&e);
	for (int i = 0; i < 20; i++)
		episode_add(&e, &(struct episode_process){.pid = (uint32_t)(7000 + i),
					.program = "many",
					.user = "alice",
					.pss_mib = {0, 0, 0, 0, 0, 100 + i}});
	episode_open(&e, &m);
	find(&e, &m, &c, &v);
	assert_int_equal(v.count, 22);
	assert_int_equal(v.listed, VANISHED_MAX);
	assert_int_equal(v.item[0].row->pid, 4711);
	for (size_t i = 1; i < v.listed; i++)
		assert_int_equal(v.item[i].row->pid, 7019 - (i - 1));
}

static void nothing_is_known_without_processes(void **state)
{
	AUTO_EPISODE struct moments m, later;
	struct moments mixed;
	struct vanished v;
	struct episode e;
	struct cause c;

	(void)state;
	episode_of_kill(&e);
	e.is_public = true;
	episode_open(&e, &m);
	find(&e, &m, &c, &v);
	assert_int_equal(v.count, 0);
	episode_close(&m);
	/* the snapshots after the kill alone are without processes */
	episode_of_kill(&e);
	episode_open(&e, &m);
	e.is_public = true;
	episode_open(&e, &later);
	mixed = m;
	mixed.after[0] = later.after[0];
	mixed.after[1] = later.after[1];
	find(&e, &mixed, &c, &v);
	assert_int_equal(v.count, 0);
	episode_close(&m);
	episode_of_kill(&e);
	e.snapshots = e.befores;
	episode_open(&e, &m);
	find(&e, &m, &c, &v);
	assert_int_equal(v.count, 0);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_killed_process_is_first),
		cmocka_unit_test(more_gone_than_killed_are_only_gone),
		cmocka_unit_test(a_killed_process_may_vanish_later),
		cmocka_unit_test(who_exits_after_the_killed_one_was_not_killed),
		cmocka_unit_test(a_reused_pid_is_another_process),
		cmocka_unit_test(lists_the_largest_ten),
		cmocka_unit_test(nothing_is_known_without_processes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
