/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of cli/why/facts/findings.h: what snapshots around an event show. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include "cli/why/facts/findings.h"
#include "tests/unit/support/cli/episode.h"
#include "tests/unit/support/faults/allocation.h"

static const int64_t mib = 1 << 20;

static struct incident incident_at(int64_t s)
{
	uint64_t at_ns = (uint64_t)(EPISODE_TIME_S + s) * NS_PER_SEC;

	return (struct incident){.kind = INCIDENT_OOM, .first_ns = at_ns, .last_ns = at_ns};
}

static void make(const struct episode *e, const struct incident *incident, struct moments *m,
	struct findings *ret)
{
	episode_open(e, m);
	assert_int_equal(findings_make(m, incident, false, ret), 0);
}

static void compares_with_the_time_at_which_growth_began(void **state)
{
	struct incident incident = incident_at(0);
	AUTO_EPISODE struct moments m;
	struct findings f;
	struct episode e;

	(void)state;
	episode_of_kill(&e);
	make(&e, &incident, &m, &f);
	assert_ptr_equal(f.start, m.before[1]);
	assert_int_equal(f.available.start, 57800 * mib);
	assert_int_equal(f.available.before, 210 * mib);
	assert_int_equal(f.available.after, 43100 * mib);
	assert_int_equal(f.swap_used.before, 2000 * mib);
	assert_int_equal(f.swap_free.after, 848 * mib);
	assert_int_equal(f.lines, 2);
	assert_string_equal(f.line[0].kind->name, "pss_anon");
	assert_int_equal(f.line[0].start_bytes, 2150 * mib);
	assert_int_equal(f.line[1].before_bytes, 180 * mib);
	assert_int_equal(f.swapped.count, 2);
	assert_false(f.has_restart || f.has_reboot || f.has_gap || f.is_public);
}

/* It has no line before the growth, because there was none. */
static void memory_of_no_kind_has_a_line(void **state)
{
	struct incident incident = incident_at(0);
	AUTO_EPISODE struct moments m;
	struct findings f;
	struct episode e;

	(void)state;
	episode_of_kill(&e);
	e.unsplit_mib[5] = 90000;
	make(&e, &incident, &m, &f);
	assert_string_equal(f.line[0].kind->name, "pss_unsplit");
	assert_int_equal(f.line[0].start_bytes, 0);
	assert_int_equal(f.line[0].before_bytes, 90000 * mib);
}

static void names_the_process_in_the_cgroup_first(void **state)
{
	struct incident incident = incident_at(0);
	AUTO_EPISODE struct moments m;
	struct findings f;
	struct episode e;

	(void)state;
	episode_of_kill(&e);
	episode_add(&e, &(struct episode_process){.pid = 77,
				.program = "java",
				.user = "alice",
				.start_s = -9000,
				.pss_mib = {100, 100, 100, 100, 100, 60000, 60000, 60000}});
	make(&e, &incident, &m, &f);
	assert_int_equal(f.processes.item[0].process->pid, 77);
	assert_int_equal(findings_first_process(&f)->process->pid, 4711);
	assert_null(findings_first_owner(&f));
}

static void names_a_program_that_grew_more_than_any_process(void **state)
{
	struct incident incident = incident_at(0);
	AUTO_EPISODE struct moments m;
	struct findings f;
	struct episode e;

	(void)state;
	episode_of_kill(&e);
	for (unsigned int i = 0; i < 30; i++)
		episode_add(&e, &(struct episode_process){.pid = 8000 + i,
					.program = "worker",
					.user = "alice",
					.start_s = -30,
					.pss_mib = {0, 0, 0, 0, 0, 3000}});
	make(&e, &incident, &m, &f);
	assert_non_null(findings_first_owner(&f));
	assert_string_equal(
		view_text(moments_last(&m), findings_first_owner(&f)->owner->name), "worker");
	assert_ptr_equal(f.start, m.before[4]);
}

/* A kill that the recording has no mark for is one all the same. */
static void counters_make_an_oom_kill_of_any_moment(void **state)
{
	struct incident incident = incident_at(0);
	AUTO_EPISODE struct moments m, quiet;
	struct findings f;
	struct episode e;

	(void)state;
	incident.kind = INCIDENT_NONE;
	incident.first_ns = incident.last_ns = incident.first_ns - NS_PER_SEC;
	episode_of_kill(&e);
	make(&e, &incident, &m, &f);
	assert_int_equal(f.incident.kind, INCIDENT_OOM);
	assert_int_equal(f.incident.first_ns, episode_time_ns(&e, 6));
	e.kills[6] = e.kills[7] = e.kills[5];
	make(&e, &incident, &quiet, &f);
	assert_int_equal(f.incident.kind, INCIDENT_NONE);
}

static void finds_restarts_reboots_and_gaps(void **state)
{
	struct incident incident = incident_at(0);
	AUTO_EPISODE struct moments restart, reboot;
	struct findings f;
	struct episode e;

	(void)state;
	episode_of_kill(&e);
	memset(e.instance + 3, 1, 5);
	make(&e, &incident, &restart, &f);
	assert_true(f.has_restart);
	assert_int_equal(f.restart_ns, episode_time_ns(&e, 3));
	assert_false(f.has_reboot || f.has_gap);
	episode_of_kill(&e);
	e.at_s[6] = 21; /* 31 s after the last one: more than three intervals */
	e.at_s[7] = 30;
	e.boot_s[6] = 5;
	e.boot_s[7] = 15;
	make(&e, &incident, &reboot, &f);
	assert_true(f.has_reboot && f.has_gap);
	assert_int_equal(f.vanished.count, 0);
	assert_false(f.cause.has_kills);
}

static void finds_who_waited_for_memory(void **state)
{
	struct incident incident = incident_at(0);
	AUTO_EPISODE struct moments m;
	struct findings f;
	struct episode e;

	(void)state;
	episode_of_kill(&e);
	incident.pressure_first_ns = episode_time_ns(&e, 4);
	incident.pressure_last_ns = episode_time_ns(&e, 6);
	make(&e, &incident, &m, &f);
	assert_ptr_equal(f.waited_from, m.before[3]);
	assert_ptr_equal(f.waited_to, m.after[1]);
	assert_true(f.has_waited);
	assert_false(f.has_stalled);
	assert_int_equal(f.waited_ns, 20 * NS_PER_SEC);
	assert_int_equal(f.waited_span_ns, 130 * NS_PER_SEC);
	assert_int_equal(f.waiters, 1); /* the slice repeats it */
	assert_int_equal(f.waiter[0].place.kind, OWNER_UNIT);
	assert_int_equal(f.waiter[0].waited_ns, 18 * NS_PER_SEC);
	/* not at an earlier kill */
	incident.earlier_kill_ns = episode_time_ns(&e, 5);
	assert_int_equal(findings_make(&m, &incident, false, &f), 0);
	assert_ptr_equal(f.waited_from, m.before[5]);
	incident.pressure_first_ns = incident.pressure_last_ns = 0;
	assert_int_equal(findings_make(&m, &incident, false, &f), 0);
	assert_ptr_equal(f.waited_from, m.before[5]);
}

static void failed_allocations_of_findings_are_reported(void **state)
{
	struct incident incident = incident_at(0);
	AUTO_EPISODE struct moments m;
	struct findings f;
	struct episode e;

	(void)state;
	episode_of_kill(&e);
	episode_open(&e, &m);
	for (unsigned int n = 1; n; n = allocation_next(n)) {
		allocation_fail_at(n);
		allocation_check(findings_make(&m, &incident, false, &f));
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(compares_with_the_time_at_which_growth_began),
		cmocka_unit_test(memory_of_no_kind_has_a_line),
		cmocka_unit_test(names_the_process_in_the_cgroup_first),
		cmocka_unit_test(names_a_program_that_grew_more_than_any_process),
		cmocka_unit_test(counters_make_an_oom_kill_of_any_moment),
		cmocka_unit_test(finds_restarts_reboots_and_gaps),
		cmocka_unit_test(finds_who_waited_for_memory),
		cmocka_unit_test(failed_allocations_of_findings_are_reported),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
