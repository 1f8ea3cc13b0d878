/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of cli/sharing/sharing-options.h: the arguments of `memtally sharing`. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include "cli/sharing/sharing-options.h"
#include "cli/sharing/sharing-row.h"

enum { ARGS_MAX = 5 };

static struct settings *load(const char *const args[static ARGS_MAX])
{
	char *argv[ARGS_MAX + 4] = {(char *)(uintptr_t) "memtally",
		(char *)(uintptr_t) "--config.file=/dev/null", (char *)(uintptr_t) "sharing"};
	struct settings *settings = NULL;
	char error[SETTINGS_ERROR_SIZE];
	int argc = 3;

	for (size_t i = 0; i < ARGS_MAX && args[i]; i++)
		argv[argc++] = (char *)(uintptr_t)args[i];
	assert_int_equal(settings_load(PROGRAM_MEMTALLY, argc, argv, &settings, error), 0);
	return settings;
}

static void parses_arguments(void **state)
{
	static const struct {
		const char *args[ARGS_MAX];
		enum owner_kind kind;
		enum sharing_field sort;
		size_t pids;
		bool has_filters, ascending, matrix;
	} cases[] = {
		{{NULL}, OWNER_USER, SHARING_COMES_BACK, 0, false, false, false},
		{{"--by=unit", "--matrix"}, OWNER_UNIT, SHARING_COMES_BACK, 0, false, false, true},
		{{"--sort=fair_bytes", "--order=asc"}, OWNER_USER, SHARING_FAIR, 0, false, true,
			false},
		/* Processes that are named form one group, unless --by says otherwise. */
		{{"17", "18"}, OWNER_KINDS, SHARING_COMES_BACK, 2, false, false, false},
		{{"--user=alice"}, OWNER_KINDS, SHARING_COMES_BACK, 0, true, false, false},
		/* Several users are several groups, unless other processes are named, too. */
		{{"--user=alice", "--user=bob"}, OWNER_USER, SHARING_COMES_BACK, 0, true, false,
			false},
		{{"--unit=a", "--user=alice", "--user=bob", "--matrix"}, OWNER_USER,
			SHARING_COMES_BACK, 0, true, false, true},
		{{"--unit=a", "--unit=b", "--user=alice", "--user=bob"}, OWNER_KINDS,
			SHARING_COMES_BACK, 0, true, false, false},
		{{"--user=alice", "--user=bob", "17"}, OWNER_KINDS, SHARING_COMES_BACK, 1, true,
			false, false},
		{{"--user=alice", "--user=bob", "--by=selection"}, OWNER_KINDS, SHARING_COMES_BACK,
			0, true, false, false},
		{{"--user=alice", "--user=bob", "--by=program"}, OWNER_PROGRAM, SHARING_COMES_BACK,
			0, true, false, false},
		{{"--user=alice", "--by=user", "--matrix"}, OWNER_USER, SHARING_COMES_BACK, 0, true,
			false, true},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		AUTO_SETTINGS struct settings *settings = load(cases[i].args);
		AUTO_INSPECTION struct inspection options = {.settings = settings};
		char error[CLI_OPTION_ERROR_SIZE] = "";

		assert_int_equal(sharing_options_parse(&options, error), 0);
		assert_int_equal(options.by, cases[i].kind);
		assert_int_equal(sharing_options_is_set(&options), cases[i].kind == OWNER_KINDS);
		assert_int_equal(options.sort, cases[i].sort);
		assert_int_equal(options.chosen.count, cases[i].pids);
		assert_int_equal(options.chosen.has_filters, cases[i].has_filters);
		assert_int_equal(options.ascending, cases[i].ascending);
		assert_int_equal(settings->matrix, cases[i].matrix);
	}
}

/* Completion offers each value that --by takes. */
static void lists_the_values_of_by(void **state)
{
	const char *last = NULL, *by;
	unsigned int count = 0;

	(void)state;
	for (; (by = sharing_options_by(count)); count++) {
		AUTO_SETTINGS struct settings *settings = load(
			(const char *[ARGS_MAX]){"17", "--by", by});
		AUTO_INSPECTION struct inspection options = {.settings = settings};
		char error[CLI_OPTION_ERROR_SIZE] = "";

		assert_int_equal(sharing_options_parse(&options, error), 0);
		assert_int_equal(options.by, count);
		last = by;
	}
	assert_int_equal(count, OWNER_KINDS + 1);
	assert_string_equal(last, "selection");
}

static void describes_wrong_arguments(void **state)
{
	static const struct {
		const char *args[ARGS_MAX];
		const char *word;
	} cases[] = {
		{{"--by=weather"}, "--by"},
		{{"--by=selection"}, "--by=selection needs a pid"},
		{{"--by=selection", "--user=alice", "--matrix"}, "--matrix needs groups"},
		{{"--sort=weather"}, "--sort"},
		{{"--matrix", "--user=alice"}, "--matrix needs groups"},
		{{"--matrix", "17"}, "--matrix needs groups"},
		{{"seventeen"}, "seventeen"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		AUTO_SETTINGS struct settings *settings = load(cases[i].args);
		AUTO_INSPECTION struct inspection options = {.settings = settings};
		char error[CLI_OPTION_ERROR_SIZE] = "";

		assert_int_equal(sharing_options_parse(&options, error), -EINVAL);
		assert_non_null(strstr(error, cases[i].word));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(parses_arguments),
		cmocka_unit_test(lists_the_values_of_by),
		cmocka_unit_test(describes_wrong_arguments),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
