/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests of cli/why/why-page.h and cli/why/why-headline.h: the page of `memtally why`. The pages are
 * tests/fixtures/golden/why-*.txt.
 */
#include "config.h"

#include "tests/unit/support/unit.h"

#include <locale.h>
#include <time.h>

#include "cli/why/why-page.h"
#include "tests/unit/support/cli/episode.h"
#include "tests/unit/support/golden.h"

static const struct incident oom_kill = {
	.kind = INCIDENT_OOM,
	.first_ns = (uint64_t)EPISODE_TIME_S * NS_PER_SEC,
	.last_ns = (uint64_t)EPISODE_TIME_S * NS_PER_SEC,
};

static const struct incident pressure = {
	.kind = INCIDENT_PRESSURE,
	.first_ns = (uint64_t)(EPISODE_TIME_S - 60) * NS_PER_SEC,
	.last_ns = (uint64_t)(EPISODE_TIME_S - 10) * NS_PER_SEC,
	.pressure_first_ns = (uint64_t)(EPISODE_TIME_S - 60) * NS_PER_SEC,
	.pressure_last_ns = (uint64_t)(EPISODE_TIME_S - 10) * NS_PER_SEC,
};

struct shown {
	bool is_own_only, is_exact;
	uint64_t later_s; /* the page is of so many seconds later */
};

static void check(const char *golden, const struct episode *e, const struct incident *incident,
	const struct shown *shown)
{
	AUTO_BUFFER struct buffer text = {0};
	AUTO_EPISODE struct moments m;
	struct findings f;
	char name[64];

	episode_open(e, &m);
	assert_int_equal(findings_make(&m, incident, shown->is_own_only, &f), 0);
	why_page_add(&f, (uint64_t)(EPISODE_TIME_S + 60) * NS_PER_SEC + shown->later_s * NS_PER_SEC,
		shown->is_exact, &text);
	assert_int_equal(text.error, 0);
	snprintf(name, sizeof(name), "why-%s.txt", golden);
	golden_check(name, &text);
}

static const struct shown usual = {.is_exact = false};

static void an_oom_kill_in_a_session(void **state)
{
	struct episode e;

	(void)state;
	episode_of_kill(&e);
	check("session", &e, &oom_kill, &usual);
}

static void the_same_in_exact_bytes_a_day_later(void **state)
{
	struct episode e;

	(void)state;
	episode_of_kill(&e);
	check("exact", &e, &oom_kill, &(struct shown){.is_exact = true, .later_s = 86400});
}

/* The counter of the slice alone is known, and the process was in no unit with one. */
static void an_oom_kill_in_a_user_slice(void **state)
{
	struct incident brief = oom_kill; /* one brief pass marks the pressure */
	struct episode e;

	(void)state;
	episode_of_kill(&e);
	e.counter[0] = e.counter[1];
	e.counters = 1;
	brief.pressure_first_ns = brief.pressure_last_ns = brief.first_ns;
	check("slice", &e, &brief, &usual);
}

static void an_oom_kill_in_a_container(void **state)
{
	static const char id[] = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";
	struct episode e;

	(void)state;
	episode_of_kill(&e);
	for (size_t i = 3; i < 5; i++) {
		e.process[i].container = id;
		e.process[i].unit = "docker-0123.scope";
		e.process[i].slice = "system.slice";
	}
	e.counter[0] = (struct episode_counter){.kind = OWNER_CONTAINER,
		.name = id,
		.kills = {0, 0, 0, 0, 0, 0, 1, 1},
		.max_events = {0, 0, 0, 0, 0, 0, 1, 1}};
	e.counter[1] = (struct episode_counter){
		.kind = OWNER_UNIT, .name = "docker-0123.scope", .kills = {0, 0, 0, 0, 0, 0, 1, 1}};
	/* a process elsewhere grew more: the container had reached its own limit */
	episode_add(&e, &(struct episode_process){.pid = 77,
				.uid = 1001,
				.program = "java",
				.user = "alice",
				.unit = "app.service",
				.start_s = -9000,
				.pss_mib = {100, 100, 100, 100, 90000, 90100, 90100, 90100}});
	check("container", &e, &oom_kill, &usual);
}

static void an_oom_kill_in_a_cgroup_that_is_gone(void **state)
{
	struct episode e;

	(void)state;
	episode_of_kill(&e);
	e.process[4].pss_mib[6] = e.process[4].pss_mib[7] = 0;
	e.counters = 0;
	check("host", &e, &oom_kill, &usual);
}

/* Others grew, but the host had enough memory: the process that is gone is named. */
static void an_oom_kill_at_an_unknown_limit(void **state)
{
	struct episode e;

	(void)state;
	episode_of_kill(&e);
	e.process[4].pss_mib[6] = e.process[4].pss_mib[7] = 0;
	e.counters = 0;
	e.available_mib[5] = e.total_mib / 2;
	e.process[3].pss_mib[5] = 77;
	e.process[3].pss_mib[4] = 76;
	e.process[3].swap_mib[4] = e.process[3].swap_mib[5] = 0;
	e.process[2].pss_mib[5] = 90; /* a larger process has ended, but its unit is still there */
	e.process[2].unit = "app.service";
	episode_add(&e, &(struct episode_process){.pid = 77,
				.uid = 1001,
				.program = "java",
				.user = "alice",
				.unit = "app.service",
				.start_s = -9000,
				.pss_mib = {100, 100, 100, 100, 900, 910, 910, 910}});
	check("limit", &e, &oom_kill, &usual);
}

/* With cgroup v2: the unit ended with the kill, and the slice around it still counts it. */
static void an_oom_kill_in_a_unit_that_ended(void **state)
{
	static const char *const units[] = {"ssh.service", "postgresql.service"};
	struct episode e;

	(void)state;
	episode_of_kill(&e);
	e.process[3].unit = e.counter[0].name = "import.service";
	e.process[3].slice = e.counter[1].name = "system.slice";
	e.process[4].unit = e.process[4].slice = NULL;
	e.available_mib[5] = e.total_mib / 2;
	for (size_t i = 0; i < 2; i++)
		e.counter[e.counters++] = (struct episode_counter){
			.kind = OWNER_UNIT, .name = units[i]};
	check("ended", &e, &oom_kill, &usual);
	/* another unit of the slice ended, too */
	e.process[1].pss_mib[6] = e.process[1].pss_mib[7] = 0;
	check("ended-both", &e, &oom_kill, &usual);
}

/* It had two kills, and one process that a snapshot has. */
static void a_probable_unit_is_not_said_to_have_kills(void **state)
{
	AUTO_BUFFER struct buffer text = {0};
	AUTO_EPISODE struct moments m;
	struct findings f;
	struct episode e;

	(void)state;
	episode_of_kill(&e);
	e.kills[6] = e.kills[7] = e.kills[5] + 2;
	e.process[4].pss_mib[6] = e.process[4].pss_mib[7] = 0;
	e.process[4].unit = "ssh.service";
	e.counter[0].kills[6] = e.counter[0].kills[7] = 0;
	e.counter[e.counters++] = (struct episode_counter){
		.kind = OWNER_UNIT, .name = "ssh.service"};
	e.counter[e.counters++] = (struct episode_counter){
		.kind = OWNER_UNIT, .name = "postgresql.service"};
	episode_open(&e, &m);
	assert_int_equal(findings_make(&m, &oom_kill, false, &f), 0);
	why_page_add(&f, (uint64_t)(EPISODE_TIME_S + 60) * NS_PER_SEC, false, &text);
	buffer_add_char(&text, '\0');
	assert_int_equal(text.error, 0);
	assert_non_null(strstr(text.data, "2 probably in session-7.scope"));
	assert_null(strstr(text.data, "1 killed in session-7.scope"));
}

static void pressure_without_a_kill(void **state)
{
	struct episode e;

	(void)state;
	episode_of_kill(&e);
	e.kills[6] = e.kills[7] = 3;
	e.counter[0].kills[6] = e.counter[0].kills[7] = 0;
	e.counter[1].kills[6] = e.counter[1].kills[7] = 2;
	e.process[3].pss_mib[6] = e.process[3].pss_mib[7] = 42000;
	e.is_brief[4] = e.is_brief[5] = true;
	check("pressure", &e, &pressure, &usual);
}

static void many_small_processes_of_one_program(void **state)
{
	struct episode e;

	(void)state;
	episode_of_kill(&e);
	e.process[3].pss_mib[5] = 300;
	e.process[3].pss_mib[4] = e.process[3].pss_mib[3] = e.process[3].pss_mib[2] = 200;
	e.process[3].swap_mib[4] = e.process[3].swap_mib[5] = 0;
	for (unsigned int i = 0; i < 40; i++)
		episode_add(&e, &(struct episode_process){.pid = 8000 + i,
					.uid = 1001,
					.program = "worker",
					.user = "alice",
					.unit = "batch.service",
					.slice = "system.slice",
					.start_s = -50,
					.pss_mib = {0, 0, 0, 0, 0, 200, i > 2 ? 200 : 0, 200}});
	check("many", &e, &oom_kill, &usual);
}

static void a_restart_of_memtallyd_and_an_estimate(void **state)
{
	struct episode e;

	(void)state;
	episode_of_kill(&e);
	memset(e.instance + 4, 1, 4);
	e.process[3].doubt_mib = 150;
	check("estimate", &e, &oom_kill, &usual);
}

static void a_reboot_and_a_gap(void **state)
{
	static const struct incident none = {
		.kind = INCIDENT_NONE,
		.first_ns = (uint64_t)EPISODE_TIME_S * NS_PER_SEC,
		.last_ns = (uint64_t)EPISODE_TIME_S * NS_PER_SEC,
	};
	struct episode e;

	(void)state;
	episode_of_kill(&e);
	memset(e.instance + 6, 1, 2);
	e.at_s[6] = 60;
	e.at_s[7] = 70;
	e.boot_s[6] = 20;
	e.boot_s[7] = 30;
	e.kills[6] = e.kills[7] = 0;
	check("reboot", &e, &none, &usual);
}

static void hostile_names_are_escaped(void **state)
{
	struct episode e;

	(void)state;
	episode_of_kill(&e);
	e.process[3].program = "\\x1b[31mred \u00e9\u6f22 (PID 1)";
	e.process[3].user = "x\\x0ay";
	e.process[3].unit = "a b\\x2d.scope";
	e.counter[0].name = e.process[4].unit = e.process[3].unit;
	setlocale(LC_CTYPE, "C");
	check("hostile", &e, &oom_kill, &usual);
	setlocale(LC_CTYPE, "C.UTF-8");
}

static void a_caller_that_may_not_see_processes(void **state)
{
	struct episode e;

	(void)state;
	episode_of_kill(&e);
	e.is_public = true;
	check("public", &e, &oom_kill, &usual);
	episode_of_kill(&e);
	e.process[1] = e.process[4]; /* the processes of uid 1003 */
	e.process[0] = e.process[3];
	e.processes = 2;
	check("own", &e, &oom_kill, &(struct shown){.is_own_only = true});
}

/* The first snapshots of a recording: little is known, and nothing is made up. */
static void two_snapshots_alone(void **state)
{
	struct episode e = {
		.snapshots = 1,
		.befores = 1,
		.kills = {EPISODE_ABSENT},
		.waited_s = {EPISODE_ABSENT},
	};

	(void)state;
	check("one", &e, &oom_kill, &usual);
	e.snapshots = 2;
	e.kills[1] = e.waited_s[1] = EPISODE_ABSENT;
	e.at_s[0] = -10;
	check("two", &e, &oom_kill, &usual);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_oom_kill_in_a_session),
		cmocka_unit_test(the_same_in_exact_bytes_a_day_later),
		cmocka_unit_test(an_oom_kill_in_a_user_slice),
		cmocka_unit_test(an_oom_kill_in_a_container),
		cmocka_unit_test(an_oom_kill_in_a_cgroup_that_is_gone),
		cmocka_unit_test(an_oom_kill_at_an_unknown_limit),
		cmocka_unit_test(an_oom_kill_in_a_unit_that_ended),
		cmocka_unit_test(a_probable_unit_is_not_said_to_have_kills),
		cmocka_unit_test(pressure_without_a_kill),
		cmocka_unit_test(many_small_processes_of_one_program),
		cmocka_unit_test(a_restart_of_memtallyd_and_an_estimate),
		cmocka_unit_test(a_reboot_and_a_gap),
		cmocka_unit_test(hostile_names_are_escaped),
		cmocka_unit_test(a_caller_that_may_not_see_processes),
		cmocka_unit_test(two_snapshots_alone),
	};

	setenv("TZ", "UTC", 1);
	tzset();
	setlocale(LC_CTYPE, "C.UTF-8");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
