/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of cli/common/selection.h: the rows that arguments select. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include "cli/common/selection.h"
#include "tests/unit/support/snapshot/sample.h"
#include "tests/unit/support/snapshot/small.h"

enum { ARGS_MAX = 8 };

static struct settings *load(const char *const args[static ARGS_MAX])
{
	char *argv[ARGS_MAX + 4] = {
		(char *)(uintptr_t) "memtally", (char *)(uintptr_t) "--config.file=/dev/null"};
	struct settings *settings = NULL;
	char error[SETTINGS_ERROR_SIZE];
	int argc = 2;

	for (size_t i = 0; i < ARGS_MAX && args[i]; i++)
		argv[argc++] = (char *)(uintptr_t)args[i];
	assert_int_equal(settings_load(PROGRAM_MEMTALLY, argc, argv, &settings, error), 0);
	return settings;
}

/* Returns the names or pids of the selected rows, each followed by a blank. */
static void check_rows(const char *const args[static ARGS_MAX], const char *expected)
{
	AUTO_VIEW struct view *view = sample_open(NULL);
	AUTO_VIEW struct view *selected = NULL;
	AUTO_SETTINGS struct settings *settings = load(args);
	AUTO_BUFFER struct buffer names = {0};
	AUTO_FREE uint32_t *rows = NULL;
	char error[QUERY_ERROR_SIZE] = "";
	struct selection s;
	size_t count;

	assert_int_equal(selection_parse(settings, &s, error), 0);
	assert_int_equal(selection_run(&s, view, &selected, &rows, &count), 0);
	for (size_t i = 0; i < count; i++) {
		if (s.scope == METRIC_PROCESS)
			buffer_add_u64(&names, view_process(selected, rows[i])->pid);
		else
			buffer_add_text(&names,
				view_text(selected, view_scope(selected, s.scope, rows[i])->name));
		buffer_add_char(&names, ' ');
	}
	buffer_add_char(&names, '\0');
	assert_string_equal(names.data, expected);
}

static void rows_are_selected(void **state)
{
	static const struct {
		const char *args[ARGS_MAX];
		const char *expected;
	} cases[] = {
		{{"users"}, "alice bob 小野 root carol erin dave 4242 "},
		{{"users", "--sort=user"}, "4242 alice bob carol dave erin root 小野 "},
		{{"users", "--user=alice", "--user", "bob"}, "alice bob "},
		{{"users", "--program=bash"}, "alice bob "},
		{{"users", "--program=bash", "--user=bob"}, "bob "},
		{{"users", "--pid=1", "--pid=2000"}, "bob root "},
		{{"--user=alice"}, "firefox bash "},
		{{"--user=alice", "--sort=rss_bytes", "--order=asc"}, "bash firefox "},
		{{"programs", "--program=sshd"}, "sshd "},
		{{"units", "--user=alice"}, "user@1000.service session-2.scope "},
		{{"processes", "--user=alice"}, "1000 1001 1003 1002 "},
		{{"processes", "--user=alice", "--program=bash"}, "1003 "},
		{{"processes", "--sort=pid", "--program=sshd"}, "300 301 "},
		{{"processes", "--user=nobody"}, ""},
		{{"host"}, ""},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		check_rows(cases[i].args, cases[i].expected);
}

/*
 * A filter by a row's own name leaves the row and its counters as they are. Other filters add up
 * processes.
 */
static void sums_cover_the_selection(void **state)
{
	static const struct {
		const char *args[ARGS_MAX];
		uint64_t pss_kib;
		bool has_counters;
	} cases[] = {
		{{"users", "--user=alice"}, 501503, true},
		{{"users", "--user=alice", "--program=bash"}, 1500, false},
		{{"users", "--user=alice", "--pid=1001"}, 100003, false},
		{{"programs", "--user=alice", "--program=firefox"}, 500003, false},
		{{"units", "--unit=ssh.service", "--unit=init.scope"}, 6123, true},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		AUTO_VIEW struct view *view = sample_open(NULL);
		AUTO_VIEW struct view *selected = NULL;
		AUTO_SETTINGS struct settings *settings = load(cases[i].args);
		AUTO_FREE uint32_t *rows = NULL;
		char error[QUERY_ERROR_SIZE];
		const struct snapshot_scope *row;
		struct selection s;
		size_t count;

		assert_int_equal(selection_parse(settings, &s, error), 0);
		assert_int_equal(selection_run(&s, view, &selected, &rows, &count), 0);
		assert_true(count > 0);
		row = view_scope(selected, s.scope, rows[0]);
		assert_int_equal(row->q[SCOPE_PSS], cases[i].pss_kib * 1024);
		assert_int_equal(ROW_HAS(row, SCOPE_PSS_BYTE_SECONDS), cases[i].has_counters);
		assert_int_equal(selection_needs(&s) == SOURCE_PROCESSES, !cases[i].has_counters);
	}
}

static void host_covers_the_selection(void **state)
{
	static const char *const args[ARGS_MAX] = {"host", "--user=alice"};
	AUTO_VIEW struct view *view = sample_open(NULL);
	AUTO_VIEW struct view *selected = NULL;
	AUTO_SETTINGS struct settings *settings = load(args);
	AUTO_FREE uint32_t *rows = NULL;
	char error[QUERY_ERROR_SIZE];
	struct selection s;
	size_t count;

	(void)state;
	assert_int_equal(selection_parse(settings, &s, error), 0);
	assert_int_equal(selection_needs(&s), SOURCE_PROCESSES);
	assert_int_equal(selection_run(&s, view, &selected, &rows, &count), 0);
	assert_int_equal(count, 0);
	assert_int_equal(view_host(selected)->q[SCOPE_PSS], 501503 * 1024);
	assert_true(ROW_HAS(view_host(selected), SCOPE_MEM_TOTAL));
}

/* Two users: 3 KiB of each are certain, and 8 of the 10 KiB of both together. */
static struct view *open_sure(void)
{
	AUTO_SMALL struct small s = {0};

	small_begin(&s);
	ROW_SET(s.host, SCOPE_PROCESSES, 2);
	ROW_SET(s.host, SCOPE_PSS, 10);
	ROW_SET(s.host, SCOPE_PSS_LOW, 8);
	for (unsigned int i = 0; i < 2; i++) {
		struct snapshot_scope *row = builder_add_scope(&s.builder, METRIC_USER);

		assert_non_null(row);
		row->name = builder_add_text(&s.builder, i ? "b" : "a", 1);
		ROW_SET(row, SCOPE_PROCESSES, 1);
		ROW_SET(row, SCOPE_PSS, 5);
		ROW_SET(row, SCOPE_PSS_LOW, 3);
	}
	return small_view(&s.builder, NULL);
}

/* The total of all users has the host's bounds. The total of some does not. */
static void total_of_all_has_the_hosts_bounds(void **state)
{
	static const char *const args[ARGS_MAX] = {"users"};
	AUTO_VIEW struct view *view = open_sure();
	AUTO_SETTINGS struct settings *settings = load(args);
	const uint32_t rows[] = {0, 1};
	char error[QUERY_ERROR_SIZE];
	struct selection s;
	struct sums sums;

	(void)state;
	assert_int_equal(selection_parse(settings, &s, error), 0);
	selection_sum(&s, view, rows, 1, &sums);
	assert_int_equal(sums.q[SCOPE_PSS_LOW], 3);
	selection_sum(&s, view, rows, 2, &sums);
	assert_int_equal(sums.q[SCOPE_PSS_LOW], 8);
}

static void programs_are_the_default(void **state)
{
	static const char *const args[ARGS_MAX] = {"--limit=3"};
	AUTO_SETTINGS struct settings *settings = load(args);
	char error[QUERY_ERROR_SIZE];
	struct selection s;

	(void)state;
	assert_int_equal(selection_parse(settings, &s, error), 0);
	assert_int_equal(s.scope, METRIC_PROGRAM);
	assert_int_equal(s.limit, 3);
	assert_int_equal(s.query.limit, 0); /* the total covers all */
	assert_int_equal(selection_needs(&s), SOURCE_OWNERS);
}

static void wrong_usage_is_refused(void **state)
{
	static const struct {
		const char *args[ARGS_MAX];
		const char *said;
	} cases[] = {
		{{"threads"}, "unexpected argument 'threads'"},
		{{"users", "root"},
			"unexpected argument 'root' after users; did you mean --user=root?"},
		{{"user_units", "a.service"},
			"after user_units; did you mean --user_unit=a.service?"},
		{{"processes", "1"},
			"unexpected argument '1' after processes; did you mean --pid=1?"},
		{{"processes", "firefox"},
			"unexpected argument 'firefox' after processes; did you mean --program=firefox?"},
		{{"host", "1"}, "unexpected argument '1' after host"},
		{{"status", "1"}, "unexpected argument '1' after status"},
		{{"host", "--limit=3"}, "--limit does not go with host"},
		{{"host", "--sort=pss_bytes"}, "--sort does not go with host"},
		{{"host", "-r"}, "--order does not go with host"},
		{{"status", "--limit=3"}, "--limit does not go with status"},
		{{"status", "--live"}, "--live does not go with status"},
		{{"users", "--order=down"}, "--order must be asc or desc"},
		{{"processes", "--pid=x"}, "--pid must be a whole number"},
		{{"users", "--pid=x"}, "--pid must be a whole number"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		AUTO_SETTINGS struct settings *settings = load(cases[i].args);
		struct selection s = {.limit = 77};
		char error[QUERY_ERROR_SIZE] = "";

		assert_int_equal(selection_parse(settings, &s, error), -EINVAL);
		if (!strstr(error, cases[i].said))
			fail_msg("'%s' does not say '%s'", error, cases[i].said);
		assert_int_equal(s.limit, 77);
	}
}

static void unknown_fields_are_not_sorted_by(void **state)
{
	static const char *const args[ARGS_MAX] = {"processes", "--sort=pass"};
	AUTO_SETTINGS struct settings *settings = load(args);
	struct selection s = {.limit = 77};
	char error[QUERY_ERROR_SIZE] = "";

	(void)state;
	assert_int_equal(selection_parse(settings, &s, error), SELECTION_BAD_SORT);
	assert_int_equal(s.scope, METRIC_PROCESS);
	assert_int_equal(s.limit, 77);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_are_selected),
		cmocka_unit_test(sums_cover_the_selection),
		cmocka_unit_test(host_covers_the_selection),
		cmocka_unit_test(total_of_all_has_the_hosts_bounds),
		cmocka_unit_test(programs_are_the_default),
		cmocka_unit_test(wrong_usage_is_refused),
		cmocka_unit_test(unknown_fields_are_not_sorted_by),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
