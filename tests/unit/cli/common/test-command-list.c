/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of cli/common/command-list.h: commands by name, and words that are no commands. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include "cli/common/command-list.h"

static int run(const struct settings *settings, bool is_check)
{
	(void)settings;
	return is_check;
}

/* The build lacks "files". */
static const struct command commands[] = {
	{.name = "users", .run = run}, {.name = "files"}, {.name = "host", .run = run}};

static void finds_commands_by_name(void **state)
{
	(void)state;
	assert_ptr_equal(command_list_find(commands, ARRAY_SIZE(commands), "users"), &commands[0]);
	assert_ptr_equal(command_list_find(commands, ARRAY_SIZE(commands), "files"), &commands[1]);
	assert_null(command_list_find(commands, ARRAY_SIZE(commands), "user"));
	assert_null(command_list_find(commands, ARRAY_SIZE(commands), ""));
}

static void refuses_other_words(void **state)
{
	static const struct {
		size_t count; /* of the commands */
		const char *word, *error;
	} cases[] = {
		{3, "usres", "unexpected argument 'usres'; did you mean 'users'?"},
		{3, "file", "unexpected argument 'file'; expected users or host"},
		{3, "", "unexpected argument ''; expected users or host"},
		{1, "threads", "unexpected argument 'threads'; expected users"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char error[QUERY_ERROR_SIZE];

		command_list_refuse(commands, cases[i].count, cases[i].word, error);
		assert_string_equal(error, cases[i].error);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_commands_by_name),
		cmocka_unit_test(refuses_other_words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
