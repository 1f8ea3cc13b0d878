/* SPDX-License-Identifier: Apache-2.0 */
/* Tests which options belong to which commands. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include <errno.h>

#include "cli/common/cli-option.h"

static void expect(const struct settings *settings, enum cli_view view, const char *expected)
{
	char error[CLI_OPTION_ERROR_SIZE] = "";

	assert_int_equal(cli_option_check(settings, view, error), expected ? -EINVAL : 0);
	assert_string_equal(error, expected ? expected : "");
}

static void an_option_belongs_to_some_commands(void **state)
{
	char text[] = "x";
	const struct settings diff = {.diff = text}, since = {.since = text}, csv = {.csv = true},
			      file = {.file = text}, range = {.range = text},
			      matrix = {.matrix = true}, sort = {.sort = text},
			      pod = {.pod = {.count = 1}}, live = {.live = true},
			      exporter = {.process_exporter = text};

	(void)state;
	if (!(ENABLE_LEDGER && ENABLE_INSPECT))
		skip(); /* no option of an absent part can be given */
	expect(&diff, CLI_VIEW_MAP, NULL);
	expect(&diff, CLI_VIEW_LIST, "--diff is for map");
	expect(&diff, CLI_VIEW_PAGES, "--diff does not go with pages");
	expect(&since, CLI_VIEW_USAGE, NULL);
	expect(&since, CLI_VIEW_LIST, "--since is for usage, map and growth");
	expect(&csv, CLI_VIEW_LIST, NULL);
	expect(&csv, CLI_VIEW_EXPLAIN, "--csv does not go with explain");
	expect(&file, CLI_VIEW_FILES, NULL);
	expect(&file, CLI_VIEW_SHARING, "--file does not go with sharing");
	expect(&range, CLI_VIEW_PAGES, NULL);
	expect(&range, CLI_VIEW_MAP, "--range does not go with map");
	expect(&matrix, CLI_VIEW_SHARING, NULL);
	expect(&matrix, CLI_VIEW_USAGE, "--matrix does not go with usage");
	expect(&sort, CLI_VIEW_LIST, NULL);
	expect(&sort, CLI_VIEW_EXPLAIN, "--sort does not go with explain");
	expect(&pod, CLI_VIEW_FILES, NULL);
	expect(&pod, CLI_VIEW_USAGE, "--pod does not go with usage");
	expect(&pod, CLI_VIEW_COMPARE, "--pod does not go with compare");
	expect(&exporter, CLI_VIEW_COMPARE, NULL);
	expect(&exporter, CLI_VIEW_LIST, "--process-exporter is for compare");
	expect(&sort, CLI_VIEW_COMPARE, "--sort does not go with compare");
	expect(&live, CLI_VIEW_SHARING, NULL); /* it never asks memtallyd */
	expect(&live, CLI_VIEW_STATUS, "--live does not go with status");
}

static void the_past_is_neither_live_nor_a_span(void **state)
{
	char text[] = "1h";
	const struct settings at = {.at = text}, live = {.at = text, .live = true},
			      span = {.from = text}, both = {.at = text, .from = text},
			      user = {.user = {.count = 1}}, oom = {.oom = text},
			      kill = {.oom = text, .at = text};

	(void)state;
	expect(&at, CLI_VIEW_LIST, NULL);
	expect(&at, CLI_VIEW_STATUS, NULL);
	expect(&at, CLI_VIEW_TOP, "--at does not go with top; use --replay");
	expect(&live, CLI_VIEW_HOST, "--live does not go with --at");
	expect(&span, CLI_VIEW_LIST, NULL);
	expect(&span, CLI_VIEW_HISTORY, NULL);
	expect(&span, CLI_VIEW_HOST, "--from does not go with host");
	expect(&both, CLI_VIEW_LIST, "--at does not go with --from");
	expect(&user, CLI_VIEW_DIFF, NULL);
	expect(&user, CLI_VIEW_HISTORY, "--user does not go with history");
	expect(&at, CLI_VIEW_WHY, NULL);
	expect(&oom, CLI_VIEW_WHY, NULL);
	expect(&oom, CLI_VIEW_LIST, "--oom is for why");
	expect(&kill, CLI_VIEW_WHY, "--oom does not go with --at");
	expect(&user, CLI_VIEW_WHY, "--user does not go with why");
}

static void common_options_belong_to_all_commands_with_rows(void **state)
{
	const struct settings none = {.limit = 3, .bytes = true}, json = {.json = true},
			      both = {.json = true, .csv = true}, sort = {.limit = 3};

	(void)state;
	for (enum cli_view view = 0; view < CLI_VIEW_HELP; view++) {
		if (view == CLI_VIEW_TOP)
			continue; /* it prints nothing */
		if (view != CLI_VIEW_HOST && view != CLI_VIEW_STATUS && view != CLI_VIEW_HISTORY &&
			view != CLI_VIEW_WHY)
			expect(&none, view, NULL);
		expect(&json, view, NULL);
	}
	expect(&both, CLI_VIEW_MAP, "--csv does not go with --json");
	expect(&sort, CLI_VIEW_HOST, "--limit does not go with host");
	expect(&none, CLI_VIEW_STATUS, "--bytes does not go with status");
	expect(&json, CLI_VIEW_HELP, "--json does not go with help");
	expect(&json, CLI_VIEW_TOP, "--json does not go with top");
	expect(&sort, CLI_VIEW_TOP, "--limit does not go with top");
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
	for (enum cli_view view = 0; view < CLI_VIEWS; view++)
		expect(&settings, view, NULL);
}

static void options_have_a_meaning_for_some_commands(void **state)
{
	static const struct {
		const char *name;
		enum cli_view view;
		bool is_for;
	} cases[] = {
		{"diff", CLI_VIEW_MAP, true},
		{"diff", CLI_VIEW_LIST, false},
		{"limit", CLI_VIEW_LIST, true},
		{"limit", CLI_VIEW_HOST, false},
		{"ledger.socket", CLI_VIEW_USAGE, true},
		{"ledger.socket", CLI_VIEW_MAP, false},
		{"log.level", CLI_VIEW_STATUS, true},
		{"help", CLI_VIEW_HELP, true},
		{"live", CLI_VIEW_HELP, false},
		{"live", CLI_VIEW_MAP, true},
		{"live", CLI_VIEW_SHARING, false},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		assert_int_equal(cli_option_is_for(cases[i].name, cases[i].view), cases[i].is_for);
}

static void an_order_is_one_of_two(void **state)
{
	char asc[] = "asc", desc[] = "desc", up[] = "up", error[CLI_OPTION_ERROR_SIZE];
	const struct settings none = {.json = false}, rising = {.order = asc},
			      falling = {.order = desc}, wrong = {.order = up};
	bool ascending;

	(void)state;
	assert_int_equal(cli_option_parse_order(&none, &ascending, error), 0);
	assert_false(ascending);
	assert_int_equal(cli_option_parse_order(&rising, &ascending, error), 0);
	assert_true(ascending);
	assert_int_equal(cli_option_parse_order(&falling, &ascending, error), 0);
	assert_false(ascending);
	assert_int_equal(cli_option_parse_order(&wrong, &ascending, error), -EINVAL);
	assert_string_equal(error, "--order: expected asc or desc, got 'up'");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_past_is_neither_live_nor_a_span),
		cmocka_unit_test(an_option_belongs_to_some_commands),
		cmocka_unit_test(common_options_belong_to_all_commands_with_rows),
		cmocka_unit_test(keys_of_the_file_are_never_refused),
		cmocka_unit_test(options_have_a_meaning_for_some_commands),
		cmocka_unit_test(an_order_is_one_of_two),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
