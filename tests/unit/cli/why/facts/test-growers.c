/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of cli/why/facts/growers.h: the owners and processes that grew most. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include "cli/why/facts/growers.h"
#include "tests/unit/support/cli/episode.h"
#include "tests/unit/support/faults/allocation.h"

static const uint64_t mib = 1 << 20;

static const struct growers_within all = {.row = NULL};

static const char *grower_name(const struct moments *m, const struct grower *g)
{
	return view_text(moments_last(m), g->owner->name);
}

static const struct grower *find_owner(
	const struct moments *m, const struct growers *g, enum owner_kind kind, const char *name)
{
	for (size_t i = 0; i < g->count; i++)
		if (g->item[i].scope == metric_owner_scope(kind) &&
			!strcmp(grower_name(m, &g->item[i]), name))
			return &g->item[i];
	return NULL;
}

static void ranks_processes_by_growth_with_swap(void **state)
{
	AUTO_EPISODE struct moments m;
	struct episode e;
	struct growers g;

	(void)state;
	episode_of_kill(&e);
	/* swapped out, not given back: a growth of 20 MiB */
	episode_add(&e, &(struct episode_process){.pid = 5000,
				.program = "java",
				.user = "alice",
				.uid = 1001,
				.start_s = -5000,
				.pss_mib = {500, 500, 500, 500, 300, 220},
				.swap_mib = {0, 0, 0, 0, 200, 300}});
	episode_open(&e, &m);
	growers_find_processes(&m, GROWERS_MEMORY, &all, &g);
	/* postgres was at 2000, and has 100 of 2100 MiB more */
	assert_int_equal(g.count, 3);
	assert_int_equal(g.item[0].process->pid, 4711);
	assert_int_equal(g.item[0].growth.bytes, (42208 + 800 - 200) * mib);
	assert_int_equal(g.item[0].growth.since_ns, episode_time_ns(&e, 1));
	assert_int_equal(g.item[1].process->pid, 812);
	assert_int_equal(g.item[2].process->pid, 5000);
	assert_int_equal(g.item[2].growth.bytes, 20 * mib);
	assert_false(g.item[0].is_new || g.item[0].is_rss || g.item[0].is_estimated);
	growers_find_processes(&m, GROWERS_SWAP, &all, &g);
	assert_int_equal(g.count, 3);
	assert_int_equal(g.item[0].process->pid, 812);
	assert_int_equal(g.item[0].growth.bytes, 1200 * mib);
}

static void a_new_process_has_grown_from_nothing(void **state)
{
	AUTO_EPISODE struct moments m;
	struct episode e;
	struct growers g;

	(void)state;
	episode_of_kill(&e);
	episode_add(&e, &(struct episode_process){.pid = 6000,
				.program = "burst",
				.user = "alice",
				.start_s = -40,
				.pss_mib = {0, 0, 0, 0, 0, 60000}});
	/* older than the snapshots that lack it: it was there, but not shown */
	episode_add(&e, &(struct episode_process){.pid = 6001,
				.program = "hidden",
				.user = "alice",
				.start_s = -4000,
				.pss_mib = {0, 0, 0, 0, 0, 60000}});
	/* a pid that another process had before */
	episode_add(&e,
		&(struct episode_process){
			.pid = 6002, .program = "old", .start_s = -4000, .pss_mib = {9000, 9000}});
	episode_add(&e, &(struct episode_process){.pid = 6002,
				.program = "new",
				.start_s = -200,
				.pss_mib = {0, 0, 0, 3000, 3000, 8000}});
	episode_open(&e, &m);
	growers_find_processes(&m, GROWERS_MEMORY, &all, &g);
	assert_int_equal(g.item[0].process->pid, 6000);
	assert_true(g.item[0].is_new);
	assert_int_equal(g.item[0].growth.bytes, 60000 * mib);
	assert_int_equal(
		g.item[0].growth.since_ns, (uint64_t)(EPISODE_TIME_S - 40) * UINT64_C(1000000000));
	assert_int_equal(g.item[1].process->pid, 4711);
	assert_int_equal(g.item[2].process->pid, 6002);
	assert_true(g.item[2].is_new);
	assert_int_equal(g.item[2].growth.bytes, 8000 * mib);
	for (size_t i = 0; i < g.count; i++)
		assert_int_not_equal(g.item[i].process->pid, 6001);
}

/* Whichever snapshots are compared, it started at one time. */
static void a_process_starts_at_its_start(void **state)
{
	AUTO_EPISODE struct moments m;
	struct episode e;
	struct growers g;

	(void)state;
	episode_of_kill(&e);
	episode_add(&e, &(struct episode_process){.pid = 6000,
				.program = "burst",
				.user = "alice",
				.start_s = -61, /* a second before the snapshot that lacks it */
				.pss_mib = {0, 0, 0, 0, 0, 60000}});
	episode_open(&e, &m);
	growers_find_processes(&m, GROWERS_MEMORY, &all, &g);
	assert_int_equal(g.item[0].process->pid, 6000);
	assert_true(g.item[0].is_new);
	assert_int_equal(
		g.item[0].growth.since_ns, (uint64_t)(EPISODE_TIME_S - 61) * UINT64_C(1000000000));
}

static void ten_rows_at_most_and_none_below_a_mib(void **state)
{
	AUTO_EPISODE struct moments m;
	struct episode e;
	struct growers g;

	(void)state;
	episode_of_kill(&e);
	for (unsigned int i = 0; i < 20; i++)
		episode_add(&e, &(struct episode_process){.pid = 7000 + i,
					.program = "many",
					.user = "alice",
					.start_s = -9000,
					.pss_mib = {100, 100, 100, 100, 100, (int)(100 + i)}});
	episode_open(&e, &m);
	growers_find_processes(&m, GROWERS_MEMORY, &all, &g);
	assert_int_equal(g.count, GROWERS_MAX);
	for (size_t i = 2; i < g.count; i++)
		assert_int_equal(g.item[i].process->pid, 7019 - (i - 2));
	episode_close(&m);
	episode_of_kill(&e);
	e.process[0].pss_kib[5] = 1023;
	e.process[4].pss_kib[5] = 1024;
	episode_open(&e, &m);
	growers_find_processes(&m, GROWERS_MEMORY, &all, &g);
	assert_int_equal(g.count, 3);
	assert_int_equal(g.item[2].process->pid, e.process[4].pid);
}

static void owners_grow_by_many_small_processes(void **state)
{
	AUTO_EPISODE struct moments m;
	const struct grower *worker;
	struct episode e;
	struct growers g;

	(void)state;
	episode_of_kill(&e);
	for (unsigned int i = 0; i < 40; i++)
		episode_add(&e, &(struct episode_process){.pid = 8000 + i,
					.uid = 1001,
					.program = "worker",
					.user = "alice",
					.unit = "batch.service",
					.container = "box",
					.start_s = -30,
					.pss_mib = {0, 0, 0, 0, 0, 2000}});
	episode_open(&e, &m);
	assert_int_equal(growers_find_owners(&m, &g), 0);
	worker = find_owner(&m, &g, OWNER_PROGRAM, "worker");
	assert_non_null(worker);
	assert_true(worker->is_new);
	assert_int_equal(worker->growth.bytes, 80000 * mib);
	assert_int_equal(worker->growth.since_ns, episode_time_ns(&e, 4));
	assert_non_null(find_owner(&m, &g, OWNER_USER, "alice"));
	assert_non_null(find_owner(&m, &g, OWNER_UNIT, "batch.service"));
	assert_non_null(find_owner(&m, &g, OWNER_CONTAINER, "box"));
	assert_non_null(find_owner(&m, &g, OWNER_PROGRAM, "python3"));
	/* slices repeat what units say, and "(none)" is no owner */
	assert_null(find_owner(&m, &g, OWNER_SLICE, "user-1003.slice"));
	assert_null(find_owner(&m, &g, OWNER_CONTAINER, "(none)"));
}

static void a_user_is_the_same_before_its_name_is_known(void **state)
{
	AUTO_EPISODE struct moments early, late;
	struct moments mixed;
	struct episode e;
	struct growers g;
	const struct grower *user;

	(void)state;
	episode_of_kill(&e);
	episode_open(&e, &early);
	e.process[3].user = e.process[4].user = "carol";
	episode_open(&e, &late);
	mixed = late;
	for (size_t i = 0; i < 3; i++)
		mixed.before[i] = early.before[i];
	assert_int_equal(growers_find_owners(&mixed, &g), 0);
	user = find_owner(&mixed, &g, OWNER_USER, "carol");
	assert_non_null(user);
	assert_false(user->is_new);
	assert_int_equal(user->growth.bytes, (42208 + 800 - 200) * mib);
}

static void estimates_have_bounds_and_unmeasured_processes_rss(void **state)
{
	AUTO_EPISODE struct moments m;
	struct episode e;
	struct growers g;

	(void)state;
	episode_of_kill(&e);
	e.process[3].doubt_mib = 100;
	episode_add(&e, &(struct episode_process){.pid = 5000,
				.program = "denied",
				.user = "alice",
				.start_s = -9000,
				.is_denied = true,
				.pss_mib = {100, 100, 100, 100, 100, 300}});
	episode_open(&e, &m);
	growers_find_processes(&m, GROWERS_MEMORY, &all, &g);
	assert_int_equal(g.item[0].process->pid, 4711);
	assert_true(g.item[0].is_estimated);
	assert_true(g.item[0].growth.has_low && g.item[0].growth.has_high);
	assert_int_equal(g.item[0].growth.low_bytes, (42808 - 200) * mib);
	assert_int_equal(g.item[0].growth.high_bytes, (42808 + 200) * mib);
	assert_int_equal(g.item[1].process->pid, 5000);
	assert_true(g.item[1].is_rss);
	assert_int_equal(g.item[1].growth.bytes, 200 * mib);
}

static void failed_allocations_are_reported(void **state)
{
	AUTO_EPISODE struct moments m;
	struct episode e;
	struct growers g;

	(void)state;
	episode_of_kill(&e);
	episode_open(&e, &m);
	for (unsigned int n = 1; n; n = allocation_next(n)) {
		allocation_fail_at(n);
		allocation_check(growers_find_owners(&m, &g));
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(ranks_processes_by_growth_with_swap),
		cmocka_unit_test(a_new_process_has_grown_from_nothing),
		cmocka_unit_test(a_process_starts_at_its_start),
		cmocka_unit_test(ten_rows_at_most_and_none_below_a_mib),
		cmocka_unit_test(owners_grow_by_many_small_processes),
		cmocka_unit_test(a_user_is_the_same_before_its_name_is_known),
		cmocka_unit_test(estimates_have_bounds_and_unmeasured_processes_rss),
		cmocka_unit_test(failed_allocations_are_reported),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
