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

/* The whole session is gone, and the counters of all other units are known. */
static void episode_of_lost_counter(struct episode *e)
{
	episode_of_kill(e);
	e->process[4].pss_mib[6] = e->process[4].pss_mib[7] = 0;
	add_counter(e, OWNER_UNIT, "ssh.service", 0);
	add_counter(e, OWNER_UNIT, "postgresql.service", 0);
}

static void check_probable(const struct cause *c, enum owner_kind kind, const char *name)
{
	assert_int_equal(c->owners, 1);
	assert_int_equal(c->unknown, 0);
	check_place(&c->owner[0].place, kind, name);
	assert_true(c->owner[0].is_probable);
	assert_int_equal(c->owner[0].kills, 1);
}

/* With cgroup v1 no other cgroup counts the kill. */
static void the_only_unit_that_ended_had_the_kill(void **state)
{
	for (int is_public = 0; is_public < 2; is_public++) {
		AUTO_EPISODE struct moments m;
		struct episode e;
		struct cause c;

		(void)state;
		episode_of_lost_counter(&e);
		e.is_public = is_public;
		episode_open(&e, &m);
		find(&e, &m, &c);
		check_probable(&c, OWNER_UNIT, "session-7.scope");
		assert_int_equal(c.gones, 1);
		assert_null(c.owner[0].limit.row);
		if (!is_public)
			check_place(&c.owner[0].slice, OWNER_SLICE, "user-1003.slice");
	}
}

/* Adds a shell that is in all snapshots. UNIT NULL: it is in the slice alone. */
static void add_idle(struct episode *e, uint32_t pid, const char *unit, const char *slice)
{
	episode_add(e, &(struct episode_process){.pid = pid,
			       .program = "sh",
			       .user = "alice",
			       .unit = unit,
			       .slice = slice,
			       .start_s = -9000,
			       .pss_mib = {1, 1, 1, 1, 1, 1, 1, 1}});
}

/* With cgroup v2 the slices around it do, also if the next one is gone, too. */
static void the_only_unit_of_a_slice_that_ended_had_the_kill(void **state)
{
	for (int is_public = 0; is_public < 2; is_public++) {
		struct episode_counter *slice;
		AUTO_EPISODE struct moments m;
		struct episode e;
		struct cause c;

		(void)state;
		episode_of_lost_counter(&e);
		e.is_public = is_public;
		/* this one ended as well, in another slice */
		episode_add(&e, &(struct episode_process){.pid = 90,
					.program = "cron",
					.user = "root",
					.unit = "cron.service",
					.slice = "system.slice",
					.pss_mib = {1, 1, 1, 1, 1, 1}});
		add_counter(&e, OWNER_UNIT, "cron.service", 0);
		add_idle(&e, 91, "session-8.scope", "user.slice");
		add_counter(&e, OWNER_UNIT, "session-8.scope", 0);
		slice = add_counter(&e, OWNER_SLICE, "user.slice", 1);
		slice->max_events[6] = slice->max_events[7] = 5;
		episode_open(&e, &m);
		find(&e, &m, &c);
		assert_int_equal(c.gones, 2);
		if (is_public) {
			assert_int_equal(c.owners, 1);
			check_place(&c.owner[0].place, OWNER_SLICE, "user.slice");
			assert_false(c.owner[0].is_probable);
			continue;
		}
		check_probable(&c, OWNER_UNIT, "session-7.scope");
		check_place(&c.owner[0].slice, OWNER_SLICE, "user-1003.slice");
		check_place(&c.owner[0].limit, OWNER_SLICE, "user.slice");
	}
}

/*
 * It has processes, but none of those that it had. Start times are inexact, so that a process may seem
 * older than the last snapshot without it.
 */
static void a_unit_that_started_again_lost_its_counter(void **state)
{
	enum { AGAIN, BEFORE, PUBLIC, CASES };

	for (int i = 0; i < CASES; i++) {
		AUTO_EPISODE struct moments m;
		struct episode e;
		struct cause c;

		(void)state;
		episode_of_lost_counter(&e);
		e.is_public = i == PUBLIC;
		if (i == PUBLIC)
			e.process[1].pss_mib[6] = e.process[1].pss_mib[7] = 0; /* its unit ends */
		episode_add(&e, &(struct episode_process){.pid = 4800,
					.program = "python3",
					.user = "1003",
					.unit = "session-7.scope",
					.slice = "user-1003.slice",
					.start_s = -11,
					.pss_mib = {0, 0, 0, 0, 0, i == BEFORE ? 20 : 0, 20, 20}});
		e.counter[0].kills[6] = e.counter[0].kills[7] = 0;
		e.counter[1].kills[6] = e.counter[1].kills[7] = 2;
		episode_open(&e, &m);
		find(&e, &m, &c);
		if (i == AGAIN)
			check_probable(&c, OWNER_UNIT, "session-7.scope");
		else
			assert_int_equal(c.owners, 0);
	}
}

/* Two slices around it count the kill. */
static void the_slice_of_a_probable_unit_is_the_next_one(void **state)
{
	AUTO_EPISODE struct moments m;
	struct episode e;
	struct cause c;

	(void)state;
	episode_of_lost_counter(&e);
	add_idle(&e, 91, NULL, "user-1003.slice");
	add_idle(&e, 92, NULL, "user.slice");
	add_counter(&e, OWNER_SLICE, "user.slice", 1);
	episode_open(&e, &m);
	find(&e, &m, &c);
	check_probable(&c, OWNER_UNIT, "session-7.scope");
	check_place(&c.owner[0].slice, OWNER_SLICE, "user-1003.slice");
}

/*
 * A unit that ends later had no kill if its counter, read after the kill, shows none. If that was read
 * in the snapshot with the mark, it may have been before the kill.
 */
static void a_unit_that_ended_later_is_not_blamed(void **state)
{
	enum { SURE, UNCLEAR, UNREAD, CASES };

	for (int i = 0; i < CASES; i++) {
		AUTO_EPISODE struct moments m;
		struct episode e;
		struct cause c;

		(void)state;
		episode_of_lost_counter(&e);
		e.process[4].pss_mib[6] = 4;
		e.counter[0].kills[6] = 0;
		e.counter[1].kills[6] = e.counter[1].kills[7] = 2; /* cgroup v1 */
		if (i == SURE) {
			e.befores = 5;
			e.kills[5] = 4;
		}
		if (i == UNREAD)
			e.counter[0].age_s[6] = 20;
		episode_open(&e, &m);
		find(&e, &m, &c);
		assert_int_equal(c.gones, i != SURE);
		if (i == UNREAD) {
			check_probable(&c, OWNER_UNIT, "session-7.scope");
			continue;
		}
		assert_int_equal(c.owners, 0);
		assert_int_equal(c.unknown, 1);
	}
}

/* A unit that ends with the next kill is not gone at this one. */
static void a_unit_that_ended_at_the_next_kill_is_not_blamed(void **state)
{
	enum { ALONE, ANOTHER_ENDED, CASES };

	for (int i = 0; i < CASES; i++) {
		struct incident incident;
		AUTO_EPISODE struct moments m;
		struct episode e;
		struct cause c;

		(void)state;
		episode_of_lost_counter(&e);
		e.process[4].pss_mib[6] = 4;
		e.counter[0].kills[6] = i == ANOTHER_ENDED; /* a kill that the end does not show */
		e.counter[0].age_s[6] = i == ALONE ? 20 : 0;
		e.counter[1].kills[6] = e.counter[1].kills[7] = 2;
		e.kills[7] = e.kills[6] + 1;
		if (i == ANOTHER_ENDED)
			e.process[1].pss_mib[6] = e.process[1].pss_mib[7] = 0;
		episode_open(&e, &m);
		incident = (struct incident){
			.last_ns = episode_time_ns(&e, 6), .later_kill_ns = episode_time_ns(&e, 7)};
		assert_int_equal(cause_find(&m, &incident, &c), 0);
		assert_int_equal(c.gones, i == ANOTHER_ENDED);
		assert_int_equal(c.owners, 0);
		assert_int_equal(c.unknown, 1);
	}
}

/* A container's unit ends with it: that is one cgroup. */
static void a_container_that_ended_had_the_kill(void **state)
{
	AUTO_EPISODE struct moments m;
	struct episode e;
	struct cause c;

	(void)state;
	episode_of_lost_counter(&e);
	for (size_t i = 3; i < 5; i++) {
		e.process[i].unit = "docker-abc.scope";
		e.process[i].container = "abc";
		e.process[i].slice = "system.slice";
	}
	e.counter[0].name = "docker-abc.scope";
	add_counter(&e, OWNER_CONTAINER, "abc", 0);
	episode_open(&e, &m);
	find(&e, &m, &c);
	assert_int_equal(c.gones, 2);
	check_probable(&c, OWNER_CONTAINER, "abc");
}

/* The unit of the user's own systemd counts the kill, if the user's units have no counters. */
static void a_user_unit_that_ended_had_the_kill(void **state)
{
	for (int counters = 0; counters <= 2; counters++) {
		AUTO_EPISODE struct moments m;
		struct episode e;
		struct cause c;

		(void)state;
		episode_of_lost_counter(&e);
		e.process[4].pss_mib[6] = e.process[4].pss_mib[7] = 4;
		e.process[3].unit = e.process[4].unit = e.counter[0].name = "user@1003.service";
		e.counter[0].kills[6] = 1;
		e.counter[1].kills[6] = e.counter[1].kills[7] = 3;
		e.process[3].user_unit = "app.service";
		e.process[4].user_unit = "init.scope";
		if (counters > 0)
			add_counter(&e, OWNER_USER_UNIT, "app.service", 0);
		if (counters > 1)
			add_counter(&e, OWNER_USER_UNIT, "init.scope", 0);
		episode_open(&e, &m);
		find(&e, &m, &c);
		if (counters > 1) {
			check_probable(&c, OWNER_USER_UNIT, "app.service");
			continue;
		}
		assert_int_equal(c.owners, 1);
		check_place(&c.owner[0].place, OWNER_UNIT, "user@1003.service");
		assert_false(c.owner[0].is_probable);
	}
}

/* Not if another unit ended, too, nor if a kill in another unit may not show yet. */
static void one_of_several_units_is_not_probable(void **state)
{
	for (int i = 0; i < 3; i++) {
		AUTO_EPISODE struct moments m;
		struct episode e;
		struct cause c;

		(void)state;
		episode_of_lost_counter(&e);
		if (i == 0) {
			e.process[1].pss_mib[6] = e.process[1].pss_mib[7] = 0;
		} else if (i == 1) {
			e.counter[3].age_s[7] = 20; /* read at the time of the last one before */
		} else {
			e.counter[0].kills[5] = EPISODE_ABSENT;
		}
		episode_open(&e, &m);
		find(&e, &m, &c);
		assert_int_equal(c.owners, 0);
		assert_int_equal(c.unknown, 1);
		assert_int_equal(c.gones, i == 0 ? 2 : 1);
	}
}

/* By a clock that was set forward an old reading seems to be new. */
static void a_clock_that_is_set_makes_no_reading_new(void **state)
{
	AUTO_EPISODE struct moments m;
	struct episode e;
	struct cause c;

	(void)state;
	episode_of_lost_counter(&e);
	for (size_t i = 6; i < 8; i++) {
		e.boot_s[i] = e.at_s[i] + 3600;
		e.at_s[i] += 100000;
	}
	e.counter[3].age_s[7] = 20;
	episode_open(&e, &m);
	find(&e, &m, &c);
	assert_int_equal(c.gones, 1);
	assert_int_equal(c.owners, 0);
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
		cmocka_unit_test(the_only_unit_that_ended_had_the_kill),
		cmocka_unit_test(the_only_unit_of_a_slice_that_ended_had_the_kill),
		cmocka_unit_test(a_unit_that_started_again_lost_its_counter),
		cmocka_unit_test(the_slice_of_a_probable_unit_is_the_next_one),
		cmocka_unit_test(a_unit_that_ended_later_is_not_blamed),
		cmocka_unit_test(a_unit_that_ended_at_the_next_kill_is_not_blamed),
		cmocka_unit_test(a_container_that_ended_had_the_kill),
		cmocka_unit_test(a_user_unit_that_ended_had_the_kill),
		cmocka_unit_test(one_of_several_units_is_not_probable),
		cmocka_unit_test(a_clock_that_is_set_makes_no_reading_new),
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
