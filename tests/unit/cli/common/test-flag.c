/* SPDX-License-Identifier: Apache-2.0 */
/* Tests which flags belong to which commands. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include <errno.h>

#include "cli/common/flag.h"

static void expect(const struct settings *settings, enum flag_view view, const char *expected)
{
	char error[FLAG_ERROR_SIZE] = "";

	assert_int_equal(flag_check(settings, view, error), expected ? -EINVAL : 0);
	assert_string_equal(error, expected ? expected : "");
}

static void a_flag_belongs_to_some_commands(void **state)
{
	char text[] = "x";
	const struct settings diff = {.diff = text}, since = {.since = text}, csv = {.csv = true},
			      file = {.file = text}, range = {.range = text},
			      matrix = {.matrix = true}, sort = {.sort = text},
			      pod = {.pod = {.count = 1}};

	(void)state;
	if (!(ENABLE_LEDGER && ENABLE_INSPECT))
		skip(); /* no option of an absent part can be given */
	expect(&diff, FLAG_MAP, NULL);
	expect(&diff, FLAG_LIST, "--diff is for map");
	expect(&diff, FLAG_PAGES, "--diff does not go with pages");
	expect(&since, FLAG_USAGE, NULL);
	expect(&since, FLAG_LIST, "--since is for usage and map");
	expect(&csv, FLAG_LIST, NULL);
	expect(&csv, FLAG_EXPLAIN, "--csv does not go with explain");
	expect(&file, FLAG_FILES, NULL);
	expect(&file, FLAG_SHARING, "--file does not go with sharing");
	expect(&range, FLAG_PAGES, NULL);
	expect(&range, FLAG_MAP, "--range does not go with map");
	expect(&matrix, FLAG_SHARING, NULL);
	expect(&matrix, FLAG_USAGE, "--matrix does not go with usage");
	expect(&sort, FLAG_LIST, NULL);
	expect(&sort, FLAG_EXPLAIN, "--sort does not go with explain");
	expect(&pod, FLAG_FILES, NULL);
	expect(&pod, FLAG_USAGE, "--pod does not go with usage");
}

static void common_flags_belong_to_all_commands_with_rows(void **state)
{
	const struct settings none = {.limit = 3, .bytes = true}, json = {.json = true},
			      both = {.json = true, .csv = true}, sort = {.limit = 3};

	(void)state;
	for (enum flag_view view = 0; view < FLAG_HELP; view++) {
		if (view != FLAG_HOST && view != FLAG_STATUS)
			expect(&none, view, NULL);
		expect(&json, view, NULL);
	}
	expect(&both, FLAG_MAP, "--csv does not go with --json");
	expect(&sort, FLAG_HOST, "--limit does not go with host");
	expect(&none, FLAG_STATUS, "--bytes does not go with status");
	expect(&json, FLAG_HELP, "--json does not go with help");
}

/* The configuration file sets these for all commands. */
static void keys_of_the_file_are_never_refused(void **state)
{
	char path[] = "/x";
	const struct settings settings = {.ledger_socket = path,
		.snapshot_socket = path,
		.path_procfs = path,
		.accounting_user = 1};

	(void)state;
	for (enum flag_view view = 0; view < FLAG_VIEWS; view++)
		expect(&settings, view, NULL);
}

static void flags_have_a_meaning_for_some_commands(void **state)
{
	static const struct {
		const char *name;
		enum flag_view view;
		bool is_for;
	} cases[] = {
		{"diff", FLAG_MAP, true},
		{"diff", FLAG_LIST, false},
		{"limit", FLAG_LIST, true},
		{"limit", FLAG_HOST, false},
		{"ledger.socket", FLAG_USAGE, true},
		{"ledger.socket", FLAG_MAP, false},
		{"log.level", FLAG_STATUS, true},
		{"help", FLAG_HELP, true},
		{"live", FLAG_HELP, false},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		assert_int_equal(flag_is_for(cases[i].name, cases[i].view), cases[i].is_for);
}

static void an_order_is_one_of_two(void **state)
{
	char asc[] = "asc", desc[] = "desc", up[] = "up", error[FLAG_ERROR_SIZE];
	const struct settings none = {.json = false}, rising = {.order = asc},
			      falling = {.order = desc}, wrong = {.order = up};
	bool ascending;

	(void)state;
	assert_int_equal(flag_parse_order(&none, &ascending, error), 0);
	assert_false(ascending);
	assert_int_equal(flag_parse_order(&rising, &ascending, error), 0);
	assert_true(ascending);
	assert_int_equal(flag_parse_order(&falling, &ascending, error), 0);
	assert_false(ascending);
	assert_int_equal(flag_parse_order(&wrong, &ascending, error), -EINVAL);
	assert_string_equal(error, "--order: expected asc or desc, got 'up'");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_flag_belongs_to_some_commands),
		cmocka_unit_test(common_flags_belong_to_all_commands_with_rows),
		cmocka_unit_test(keys_of_the_file_are_never_refused),
		cmocka_unit_test(flags_have_a_meaning_for_some_commands),
		cmocka_unit_test(an_order_is_one_of_two),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
