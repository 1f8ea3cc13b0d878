/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of cli/why/facts/cause.h: which cgroups had OOM kills. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include "cli/why/facts/cause.h"
#include "tests/unit/support/cli/episode.h"
#include "tests/unit/support/faults/allocation.h"

static void find(const struct episode *e, const struct moments *m, struct cause *ret)
{
	const struct incident incident = {.last_ns = episode_time_ns(e, e->befores)};

	assert_int_equal(cause_find(m, &incident, ret), 0);
}

static void check_place(const struct cause_place *p, enum owner_kind kind, const char *name)
{
	assert_non_null(p->row);
	assert_int_equal(p->kind, kind);
	assert_string_equal(view_text(p->of, p->row->name), name);
}

static struct episode_counter *add_counter(
	struct episode *e, enum owner_kind kind, const char *name, int kills)
{
	struct episode_counter *c = &e->counter[e->counters++];

	*c = (struct episode_counter){.kind = kind, .name = name};
	for (size_t i = e->befores; i < e->snapshots; i++)
		c->kills[i] = kills;
	return c;
}

static void set_kills(struct episode *e, int kills)
{
	for (size_t i = e->befores; i < e->snapshots; i++)
		e->kills[i] = e->kills[0] + kills;
}

static void names_the_innermost_cgroup_and_the_limit(void **state)
{
	AUTO_EPISODE struct moments m;
	struct episode e;
	struct cause c;

	(void)state;
	episode_of_kill(&e);
	episode_open(&e, &m);
	find(&e, &m, &c);
	assert_true(c.has_kills);
	assert_int_equal(c.kills, 1);
	assert_int_equal(c.unknown, 0);
	assert_int_equal(c.owners, 1);
	assert_true(cause_is_known(&c));
	check_place(&c.owner[0].place, OWNER_UNIT, "session-7.scope");
	check_place(&c.owner[0].slice, OWNER_SLICE, "user-1003.slice");
	check_place(&c.owner[0].limit, OWNER_SLICE, "user-1003.slice");
	assert_int_equal(c.owner[0].kills, 1);
	assert_int_equal(c.owner[0].limit_events, 7);
}

/* With cgroup v1 a kill counts in one cgroup alone: processes tell the slice of it. */
static void a_slice_without_a_counter_is_found_by_processes(void **state)
{
	AUTO_EPISODE struct moments m;
	struct episode e;
	struct cause c;

	(void)state;
	episode_of_kill(&e);
	e.counter[1].kills[6] = e.counter[1].kills[7] = e.counter[1].kills[5];
	episode_open(&e, &m);
	find(&e, &m, &c);
	assert_int_equal(c.owners, 1);
	check_place(&c.owner[0].place, OWNER_UNIT, "session-7.scope");
	check_place(&c.owner[0].slice, OWNER_SLICE, "user-1003.slice");
	assert_null(c.owner[0].limit.row);
}

/* The same is found without rows of processes, of which only names tell what is inside of what. */
static void a_container_is_inside_of_its_unit(void **state)
{
	for (int is_public = 0; is_public < 2; is_public++) {
		AUTO_EPISODE struct moments m;
		struct episode e;
		struct cause c;

		(void)state;
		episode_of_kill(&e);
		e.is_public = is_public;
		e.counters = 0;
		e.process[3].unit = "docker-abc.scope";
		e.process[3].container = "abc";
		e.process[3].slice = "system.slice";
		e.process[3].zombie_at = 6;
		e.process[3].pss_mib[6] = e.process[3].pss_mib[7] = 1;
		add_counter(&e, OWNER_CONTAINER, "abc", 1)->max_events[6] = 3;
		e.counter[0].max_events[7] = 3;
		add_counter(&e, OWNER_UNIT, "docker-abc.scope", 1);
		add_counter(&e, OWNER_SLICE, "system.slice", 2);
		add_counter(&e, OWNER_UNIT, "postgresql.service", 1);
		set_kills(&e, 2);
		episode_open(&e, &m);
		find(&e, &m, &c);
		assert_int_equal(c.owners, 2);
		assert_int_equal(c.unknown, 0);
		check_place(&c.owner[0].place, OWNER_CONTAINER, "abc");
		check_place(&c.owner[0].limit, OWNER_CONTAINER, "abc");
		check_place(&c.owner[1].place, OWNER_UNIT, "postgresql.service");
		assert_null(c.owner[1].limit.row);
	}
}

static void the_innermost_of_nested_slices(void **state)
{
	AUTO_EPISODE struct moments m;
	struct episode e;
	struct cause c;

	(void)state;
	episode_of_kill(&e);
	e.counters = 0;
	episode_add(&e, &(struct episode_process){.pid = 9,
				.program = "x",
				.user = "root",
				.unit = "x.service",
				.slice = "user.slice",
				.pss_mib = {1, 1, 1, 1, 1, 1, 1, 1}});
	add_counter(&e, OWNER_SLICE, "user.slice", 1);
	add_counter(&e, OWNER_SLICE, "user-1003.slice", 1);
	episode_open(&e, &m);
	find(&e, &m, &c);
	assert_int_equal(c.owners, 1);
	check_place(&c.owner[0].place, OWNER_SLICE, "user-1003.slice");
	check_place(&c.owner[0].slice, OWNER_SLICE, "user.slice");
}

/* A unit that ends with its kill takes its counter with it. The rest stays unknown. */
static void a_cgroup_that_is_gone_is_not_known(void **state)
{
	AUTO_EPISODE struct moments m;
	struct episode e;
	struct cause c;

	(void)state;
	episode_of_kill(&e);
	e.process[4].pss_mib[6] = e.process[4].pss_mib[7] = 0; /* the whole session is gone */
	episode_open(&e, &m);
	find(&e, &m, &c);
	assert_true(c.has_kills);
	assert_int_equal(c.owners, 0);
	assert_int_equal(c.unknown, 1);
	assert_false(cause_is_known(&c));
	assert_int_equal(c.gones, 1);
	check_place(&c.gone[0], OWNER_UNIT, "session-7.scope");
}

static void absent_counters_are_not_zero(void **state)
{
	AUTO_EPISODE struct moments m;
	struct episode e;
	struct cause c;

	(void)state;
	episode_of_kill(&e);
	e.kills[5] = EPISODE_ABSENT; /* of the host */
	e.counter[0].kills[5] = EPISODE_ABSENT;
	e.counter[0].kills[7] = 7;
	e.counter[1].max_events[5] = EPISODE_ABSENT;
	episode_open(&e, &m);
	find(&e, &m, &c);
	assert_false(c.has_kills);
	assert_int_equal(c.kills, 0);
	assert_int_equal(c.unknown, 0);
	assert_int_equal(c.owners, 1); /* only the slice was readable at both times */
	check_place(&c.owner[0].place, OWNER_SLICE, "user-1003.slice");
	assert_null(c.owner[0].limit.row);
}

/* Counters that began again say nothing about the time before. */
static void a_reboot_is_no_oom_kill(void **state)
{
	AUTO_EPISODE struct moments m;
	struct episode e;
	struct cause c;

	(void)state;
	episode_of_kill(&e);
	e.boot_s[6] = 20;
	e.boot_s[7] = 30;
	episode_open(&e, &m);
	find(&e, &m, &c);
	assert_false(c.has_kills);
	assert_int_equal(c.owners, 0);
	episode_close(&m);
	episode_of_kill(&e);
	e.snapshots = e.befores; /* no snapshot after it */
	episode_open(&e, &m);
	find(&e, &m, &c);
	assert_false(c.has_kills);
}

/* Counters of cgroups may be read a minute later than that of the host. */
static void counters_that_rise_later_count(void **state)
{
	AUTO_EPISODE struct moments m;
	struct episode e;
	struct cause c;

	(void)state;
	episode_of_kill(&e);
	e.counter[0].kills[6] = 0;
	e.counter[1].kills[6] = 2;
	e.kills[7] = 9; /* of later kills the first snapshot knows nothing */
	episode_open(&e, &m);
	find(&e, &m, &c);
	assert_int_equal(c.kills, 1);
	assert_int_equal(c.owners, 1);
	check_place(&c.owner[0].place, OWNER_UNIT, "session-7.scope");
}

/* A counter that rises late may be that of the kill before: its cgroup lost no process at this one. */
static void a_counter_of_an_earlier_kill_is_not_of_this_one(void **state)
{
	struct incident incident;
	AUTO_EPISODE struct moments m;
	struct episode e;
	struct cause c;

	(void)state;
	episode_of_kill(&e);
	e.process[3].pss_mib[6] = e.process[3].pss_mib[7] = 42000;
	e.process[4].pss_mib[6] = e.process[4].pss_mib[7] = 5;
	episode_open(&e, &m);
	incident = (struct incident){.last_ns = episode_time_ns(&e, 6)};
	assert_int_equal(cause_find(&m, &incident, &c), 0);
	assert_int_equal(c.owners, 1);
	incident.earlier_kill_ns = moments_time_ns(moments_last(&m)) + 1;
	assert_int_equal(cause_find(&m, &incident, &c), 0);
	assert_int_equal(c.owners, 0);
	assert_int_equal(c.unknown, 1);
}

/* The counter rose before the next kill, though the process had not exited. */
static void a_counter_that_rose_before_the_next_kill_counts(void **state)
{
	struct incident incident;
	AUTO_EPISODE struct moments m;
	struct episode e;
	struct cause c;

	(void)state;
	episode_of_kill(&e);
	e.process[3].pss_mib[6] = 30000;
	e.counter[0].kills[7] = 2;
	e.counter[1].kills[7] = e.counter[1].kills[6] + 1;
	e.kills[7] = e.kills[6] + 1;
	episode_open(&e, &m);
	incident = (struct incident){
		.last_ns = episode_time_ns(&e, 6), .later_kill_ns = episode_time_ns(&e, 7)};
	assert_int_equal(cause_find(&m, &incident, &c), 0);
	assert_int_equal(c.owners, 1);
	check_place(&c.owner[0].place, OWNER_UNIT, "session-7.scope");
	assert_int_equal(c.owner[0].kills, 1);
}

/* The kills of this event are no more than the host had. */
static void cgroups_have_no_more_kills_than_the_host(void **state)
{
	AUTO_EPISODE struct moments m;
	struct episode e;
	struct cause c;

	(void)state;
	episode_of_kill(&e);
	e.counter[0].kills[6] = e.counter[0].kills[7] = 5;
	episode_open(&e, &m);
	find(&e, &m, &c);
	assert_int_equal(c.owners, 1);
	assert_int_equal(c.owner[0].kills, 1);
}

static void failed_allocations_of_causes_are_reported(void **state)
{
	AUTO_EPISODE struct moments m;
	struct episode e;
	struct incident incident;
	struct cause c;

	(void)state;
	episode_of_kill(&e);
	incident = (struct incident){
		.last_ns = episode_time_ns(&e, 6), .later_kill_ns = episode_time_ns(&e, 7)};
	episode_open(&e, &m);
	for (unsigned int n = 1; n; n = allocation_next(n)) {
		allocation_fail_at(n);
		allocation_check(cause_find(&m, &incident, &c));
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_the_innermost_cgroup_and_the_limit),
		cmocka_unit_test(a_slice_without_a_counter_is_found_by_processes),
		cmocka_unit_test(a_container_is_inside_of_its_unit),
		cmocka_unit_test(the_innermost_of_nested_slices),
		cmocka_unit_test(a_cgroup_that_is_gone_is_not_known),
		cmocka_unit_test(absent_counters_are_not_zero),
		cmocka_unit_test(a_reboot_is_no_oom_kill),
		cmocka_unit_test(counters_that_rise_later_count),
		cmocka_unit_test(a_counter_of_an_earlier_kill_is_not_of_this_one),
		cmocka_unit_test(a_counter_that_rose_before_the_next_kill_counts),
		cmocka_unit_test(cgroups_have_no_more_kills_than_the_host),
		cmocka_unit_test(failed_allocations_of_causes_are_reported),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
