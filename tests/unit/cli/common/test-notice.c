/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of cli/common/notice.h: messages on the origin and gaps of a snapshot. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include <time.h>

#include "base/clock.h"
#include "cli/common/notice.h"
#include "collectors/process/self/mapcounts.h"
#include "tests/unit/support/snapshot/small.h"

struct notice_case {
	uint64_t denied, changing, error, blocked;
	uint64_t processes; /* 0: 120 */
	/* processes of the snapshot, from pid 50 on */
	unsigned int denied_rows, blocked_rows;
	bool has_pss;
	uint64_t pss, denied_rss;
	uint32_t flags;
	enum mapcounts_verdict map_counts; /* UNKNOWN: the snapshot lacks it */
	bool is_brief;
	enum notice_source source;
	const char *text;
};

static void add_rows(struct builder *b, const struct notice_case *c)
{
	for (unsigned int i = 0; i < c->denied_rows + c->blocked_rows; i++) {
		struct snapshot_process *row = builder_add_process(b);

		row->pid = 50 + i;
		row->outcome = i < c->denied_rows ? OUTCOME_DENIED : OUTCOME_BLOCKED;
	}
}

static struct view *view_of(const struct notice_case *c)
{
	AUTO_SMALL struct small s = {0};
	struct snapshot_balance *balance;

	small_begin(&s);
	s.self->flags = c->flags;
	balance = builder_add_balance(&s.builder);
	if (c->map_counts != MAPCOUNTS_UNKNOWN)
		ROW_SET(balance, BALANCE_MAP_COUNTS_EXACT, c->map_counts == MAPCOUNTS_EXACT);
	add_rows(&s.builder, c);
	return small_view(&s.builder, &(struct image_header){.sequence = 1,
					      .interval_ns = 1,
					      .stale_ns = 1,
					      .flags = c->is_brief ? IMAGE_PRESSURE : 0});
}

static void check(const struct notice_case *c)
{
	AUTO_VIEW struct view *view = view_of(c);
	struct sums sums = {0};
	AUTO_BUFFER struct buffer b = {0};

	ROW_SET(&sums, SCOPE_PROCESSES, c->processes ? c->processes : 120);
	if (c->has_pss) {
		ROW_SET(&sums, SCOPE_PSS, c->pss);
		ROW_SET(&sums, SCOPE_UNMEASURED_RSS_DENIED, c->denied_rss);
	}
	ROW_SET(&sums, SCOPE_UNMEASURED_DENIED, c->denied);
	ROW_SET(&sums, SCOPE_UNMEASURED_CHANGING, c->changing);
	ROW_SET(&sums, SCOPE_UNMEASURED_ERROR, c->error);
	ROW_SET(&sums, SCOPE_UNMEASURED_BLOCKED, c->blocked);
	notice_render(view, &sums, c->source, &b);
	buffer_add_char(&b, '\0');
	assert_string_equal(b.data, c->text);
}

static void check_cases(const struct notice_case *cases, size_t count)
{
	for (size_t i = 0; i < count; i++)
		check(&cases[i]);
}

static void is_silent_about_a_complete_snapshot(void **state)
{
	static const struct notice_case cases[] = {
		{.text = ""},
		{.flags = SELF_READS_FOREIGN, .source = NOTICE_LIVE, .text = ""},
	};

	(void)state;
	check_cases(cases, ARRAY_SIZE(cases));
}

static void says_how_to_read_denied_processes(void **state)
{
	static const struct notice_case cases[] = {
		{.denied = 80,
			.source = NOTICE_LIVE,
			.text = "80 of 120 processes could not be read: the sums do not contain their PSS; "
				"run as root, or run memtallyd and join group memtally\n"},
		{.denied = 80,
			.source = NOTICE_LIVE_BY_DAEMON,
			.text = "80 of 120 processes could not be read: the sums do not contain their PSS; "
				"run as root, or join group memtally\n"},
		{.denied = 1,
			.source = NOTICE_LIVE,
			.flags = SELF_CAP_SYS_PTRACE,
			.text = "1 of 120 processes could not be read: the sums do not contain its PSS; "
				"the kernel refuses it in spite of CAP_SYS_PTRACE\n"},
		{.denied = 80,
			.text = "80 of 120 processes could not be read: the sums do not contain their PSS; "
				"memtallyd needs CAP_SYS_PTRACE to read them\n"},
		{.denied = 1,
			.flags = SELF_CAP_PERFMON,
			.text = "1 of 120 processes could not be read: the sums do not contain its PSS; "
				"the kernel refuses it in spite of CAP_PERFMON\n"},
	};

	(void)state;
	check_cases(cases, ARRAY_SIZE(cases));
}

/* Denied processes with an RSS of at most a hundredth of the PSS are not reported. */
static void is_silent_about_a_hundredth_of_the_memory(void **state)
{
	static const struct notice_case cases[] = {
		{.denied = 1,
			.flags = SELF_CAP_SYS_PTRACE,
			.has_pss = true,
			.pss = 10000,
			.denied_rss = 100,
			.text = ""},
		{.denied = 2,
			.flags = SELF_CAP_SYS_PTRACE,
			.has_pss = true,
			.pss = 10000,
			.denied_rss = 101,
			.text = "2 of 120 processes could not be read: the sums do not contain their PSS; "
				"the kernel refuses them in spite of CAP_SYS_PTRACE\n"},
		{.denied = 1,
			.processes = 1,
			.has_pss = true,
			.denied_rss = 1,
			.text = "1 of 1 process could not be read: the sums do not contain its PSS; "
				"memtallyd needs CAP_SYS_PTRACE to read it\n"},
	};

	(void)state;
	check_cases(cases, ARRAY_SIZE(cases));
}

static void names_three_denied_processes(void **state)
{
	static const struct notice_case cases[] = {
		{.denied = 1,
			.denied_rows = 1,
			.blocked = 2,
			.blocked_rows = 2,
			.flags = SELF_CAP_SYS_PTRACE,
			.text = "1 of 120 processes could not be read (pid 50): the sums do not contain "
				"its PSS; the kernel refuses it in spite of CAP_SYS_PTRACE\n"
				"2 of 120 processes could not be read (pids 51 and 52), because the kernel "
				"blocks readers of their files in /proc: the sums contain estimates of "
				"their PSS, or the upper bounds their RSS\n"},
		{.denied = 3,
			.denied_rows = 3,
			.text = "3 of 120 processes could not be read (pids 50, 51 and 52): the sums do "
				"not contain their PSS; memtallyd needs CAP_SYS_PTRACE to read them\n"},
		{.denied = 80,
			.denied_rows = 80,
			.text = "80 of 120 processes could not be read (pids 50, 51, 52 and 77 more): the "
				"sums do not contain their PSS; memtallyd needs CAP_SYS_PTRACE to read "
				"them\n"},
		/* The sums are of a part of the snapshot. */
		{.denied = 1,
			.denied_rows = 2,
			.text = "1 of 120 processes could not be read: the sums do not contain its PSS; "
				"memtallyd needs CAP_SYS_PTRACE to read it\n"},
	};

	(void)state;
	check_cases(cases, ARRAY_SIZE(cases));
}

static void tells_other_failures_apart(void **state)
{
	static const struct notice_case cases[] = {
		{.changing = 1,
			.error = 3,
			.text = "processes not measured for other reasons: 1 changing, 3 error\n"},
		{.blocked = 1,
			.text = "1 of 120 processes could not be read, because the kernel blocks "
				"readers of its files in /proc: the sums contain an estimate of "
				"its PSS, or the upper bounds its RSS\n"},
		{.blocked = 2,
			.error = 3,
			.text = "2 of 120 processes could not be read, because the kernel blocks "
				"readers of their files in /proc: the sums contain estimates of "
				"their PSS, or the upper bounds their RSS\n"
				"processes not measured for other reasons: 3 error\n"},
		/* The warning about blocked reads has the pids and the reason. */
		{.blocked = 1,
			.blocked_rows = 1,
			.source = NOTICE_LIVE,
			.text = "1 of 120 processes could not be read: the sums contain an estimate "
				"of its PSS, or the upper bounds its RSS\n"},
		{.blocked = 2,
			.blocked_rows = 2,
			.source = NOTICE_LIVE_BY_DAEMON,
			.text = "2 of 120 processes could not be read: the sums contain estimates of "
				"their PSS, or the upper bounds their RSS\n"},
	};

	(void)state;
	check_cases(cases, ARRAY_SIZE(cases));
}

static void says_that_a_snapshot_is_brief(void **state)
{
	static const struct notice_case cases[] = {
		{.is_brief = true,
			.text = "processes waited for memory, on the host or in a cgroup, so memtallyd "
				"read their sizes alone: swap and charges may be of an earlier pass\n"},
	};

	(void)state;
	check_cases(cases, ARRAY_SIZE(cases));
}

static void says_that_proc_hides_processes(void **state)
{
	static const struct notice_case cases[] = {
		{.flags = SELF_PROC_HIDDEN,
			.source = NOTICE_LIVE,
			.text = "/proc hides other users' processes (hidepid) from you: they are "
				"missing\n"},
		{.flags = SELF_PROC_HIDDEN,
			.error = 1,
			.text = "processes not measured for other reasons: 1 error\n"
				"/proc hides other users' processes (hidepid) from memtallyd: "
				"they are missing\n"},
	};

	(void)state;
	check_cases(cases, ARRAY_SIZE(cases));
}

static void says_that_map_counts_are_averaged(void **state)
{
	static const struct notice_case cases[] = {
		{.map_counts = MAPCOUNTS_EXACT, .text = ""},
		{.map_counts = MAPCOUNTS_AVERAGED,
			.text = "this kernel averages the map counts of large folios "
				"(CONFIG_NO_PAGE_MAPCOUNT): PSS and USS are approximations\n"},
	};

	(void)state;
	check_cases(cases, ARRAY_SIZE(cases));
}

/* Adds a process of UID with 1 MiB of RSS. */
static void add_process(struct builder *b, uint32_t pid, uint32_t uid, enum process_outcome outcome)
{
	struct snapshot_process *row = builder_add_process(b);

	row->pid = pid;
	row->uid = uid;
	row->outcome = (uint8_t)outcome;
	ROW_SET(row, PROCESS_RSS, 1 << 20);
}

/* Kernel threads have no memory, and one address space counts once. */
static void counts_hidden_processes_and_their_users(void **state)
{
	static const struct {
		struct sight sight;
		const char *text;
	} cases[] = {
		{{SIGHT_ALL, 0}, ""},
		{{SIGHT_OWN, 1000},
			"3 processes of 2 other users: no permission, RSS 3.0 MiB; run as root, or "
			"run memtallyd and join group memtally\n"},
		{{SIGHT_OWN, 0},
			"2 processes of 2 other users: no permission, RSS 2.0 MiB; run as root, or "
			"run memtallyd and join group memtally\n"},
	};
	CLEANUP(builder_done) struct builder b = {0};
	static const struct image_header head = {
		.sequence = 1, .interval_ns = 1, .stale_ns = 1, .boottime_ns = 1};
	AUTO_VIEW struct view *view = NULL;
	AUTO_CLOSE int fd = -1;
	const char *reason;

	(void)state;
	builder_begin(&b);
	assert_non_null(builder_add_scope(&b, METRIC_HOST));
	assert_non_null(builder_add_self(&b));
	add_process(&b, 1, 0, OUTCOME_DENIED);
	add_process(&b, 2, 0, OUTCOME_NO_MM);
	add_process(&b, 3, 1000, OUTCOME_MEASURED);
	add_process(&b, 4, 1001, OUTCOME_DENIED);
	add_process(&b, 5, 0, OUTCOME_DENIED);
	add_process(&b, 6, 0, OUTCOME_SHARED_MM);
	assert_int_equal(builder_seal(&b, &head, &fd), 0);
	assert_int_equal(view_open(fd, &view, &reason), 0);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		AUTO_BUFFER struct buffer said = {0};

		notice_add_hidden(view, &cases[i].sight, &said);
		buffer_add_char(&said, '\0');
		assert_string_equal(said.data, cases[i].text);
	}
}

/* The age of the snapshot says nothing about estimates carried forward into it. */
static void origin_has_the_age_of_estimates(void **state)
{
	static const struct {
		uint64_t measured, guessed; /* of 1000 bytes */
		bool has_oldest;
		const char *text;
	} cases[] = {
		{130, 0, true, ": 87 % estimated, measured up to 3 min 50 s ago"},
		{130, 80, true, ": 79 % estimated, measured up to 3 min 50 s ago, 8 % guessed"},
		{130, 870, true, ": 87 % guessed"},
		{0, 0, false, ": 100 % estimated"},
		{1000, 0, true, ""},
		{1001, 0, true, ""},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		static const struct image_header head = {.sequence = 1,
			.interval_ns = 1,
			.stale_ns = NS_PER_SEC,
			.boottime_ns = NS_PER_SEC};
		AUTO_BUFFER struct buffer said = {0}, expected = {0};
		AUTO_VIEW struct view *view = NULL;
		AUTO_SMALL struct small s = {0};

		small_begin(&s);
		ROW_SET(s.host, SCOPE_PSS, 1000);
		ROW_SET(s.host, SCOPE_PSS_MEASURED, cases[i].measured);
		ROW_SET(s.host, SCOPE_PSS_GUESSED, cases[i].guessed);
		if (cases[i].has_oldest)
			ROW_SET(s.self, SELF_OLDEST_AGE, 221 * NS_PER_SEC);
		view = small_view(&s.builder, &head);
		notice_add_origin(view, 10 * NS_PER_SEC, &said);
		buffer_add_char(&said, '\0');
		buffer_printf(&expected, "from memtallyd's snapshot of 9 s ago%s", cases[i].text);
		buffer_add_char(&expected, '\0');
		assert_string_equal(said.data, expected.data);
	}
}

/* Ages are those at the end of the recorded pass; its own age is that of the wall clock. */
static void names_a_recorded_snapshot(void **state)
{
	static const struct image_header head = {.sequence = 1,
		.interval_ns = 1,
		.stale_ns = NS_PER_SEC,
		.boottime_ns = NS_PER_SEC,
		.realtime_ns = UINT64_C(1795413600) * NS_PER_SEC};
	AUTO_BUFFER struct buffer said = {0};
	AUTO_VIEW struct view *view = NULL;
	AUTO_SMALL struct small s = {0};

	(void)state;
	setenv("TZ", "UTC", 1);
	tzset();
	small_begin(&s);
	ROW_SET(s.host, SCOPE_PSS, 1000);
	ROW_SET(s.host, SCOPE_PSS_MEASURED, 130);
	ROW_SET(s.host, SCOPE_PSS_GUESSED, 80);
	ROW_SET(s.self, SELF_OLDEST_AGE, 230 * NS_PER_SEC);
	view = small_view(&s.builder, &head);
	notice_add_recorded(view, head.realtime_ns + 11040 * NS_PER_SEC, &said);
	buffer_add_char(&said, '\0');
	assert_string_equal(said.data,
		"from the recorded snapshot of 2026-11-23 06:00:00, 3 h 4 min ago: 79 % estimated, "
		"measured up to 3 min 50 s before, 8 % guessed");
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(is_silent_about_a_complete_snapshot),
		cmocka_unit_test(names_a_recorded_snapshot),
		cmocka_unit_test(says_how_to_read_denied_processes),
		cmocka_unit_test(is_silent_about_a_hundredth_of_the_memory),
		cmocka_unit_test(names_three_denied_processes),
		cmocka_unit_test(tells_other_failures_apart),
		cmocka_unit_test(says_that_a_snapshot_is_brief),
		cmocka_unit_test(says_that_proc_hides_processes),
		cmocka_unit_test(says_that_map_counts_are_averaged),
		cmocka_unit_test(counts_hidden_processes_and_their_users),
		cmocka_unit_test(origin_has_the_age_of_estimates),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
