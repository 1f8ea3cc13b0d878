/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of cli/pages/pages-options.h: the order of rows for the arguments of `memtally pages`. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include "cli/pages/pages-options.h"
#include "cli/pages/partrow.h"
#include "inspect/pages/pagesum.h"

enum { ARGS_MAX = 3 };

static struct settings *load(const char *const args[static ARGS_MAX])
{
	char *argv[ARGS_MAX + 5] = {(char *)(uintptr_t) "memtally",
		(char *)(uintptr_t) "--config.file=/dev/null", (char *)(uintptr_t) "pages",
		(char *)(uintptr_t) "17"};
	struct settings *settings = NULL;
	char error[SETTINGS_ERROR_SIZE];
	int argc = 4;

	for (size_t i = 0; i < ARGS_MAX && args[i]; i++)
		argv[argc++] = (char *)(uintptr_t)args[i];
	assert_int_equal(settings_load(PROGRAM_MEMTALLY, argc, argv, &settings, error), 0);
	return settings;
}

/*
 * A table of symbols is sorted by private bytes. JSON and CSV are sorted only if --sort or --order
 * asks for it, because they may have more rows than can be sorted.
 */
static void orders_rows_by_kind_and_form(void **state)
{
	static const struct {
		const char *args[ARGS_MAX];
		bool is_sorted;
		unsigned int sort;
	} cases[] = {
		{{NULL}, true, PAGESUM_RSS},
		{{"--by=process"}, true, PAGESUM_RSS},
		{{"--by=mapping"}, false, PAGESUM_RSS},
		{{"--by=mapping", "--sort=anon"}, true, PAGESUM_ANON},
		{{"--sections"}, false, PARTROW_RESIDENT},
		{{"--sections", "--order=asc"}, true, PARTROW_RESIDENT},
		{{"--symbols"}, true, PARTROW_PRIVATE},
		{{"--by=symbol"}, true, PARTROW_PRIVATE},
		{{"--symbols", "--sort=written"}, true, PARTROW_WRITTEN},
		{{"--symbols", "--json"}, false, PARTROW_PRIVATE},
		{{"--symbols", "--csv"}, false, PARTROW_PRIVATE},
		{{"--symbols", "--csv", "--sort=size"}, true, PARTROW_SIZE},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		AUTO_SETTINGS struct settings *settings = load(cases[i].args);
		AUTO_INSPECTION struct inspection options = {.settings = settings};
		char error[CLI_OPTION_ERROR_SIZE] = "";

		assert_int_equal(pages_options_parse(&options, error), 0);
		assert_int_equal(options.is_sorted, cases[i].is_sorted);
		assert_int_equal(options.sort, cases[i].sort);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(orders_rows_by_kind_and_form),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
