/* SPDX-License-Identifier: Apache-2.0 */
/* Tests the layout of help pages. test-memtally-arguments compares real pages with the tables. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include <errno.h>

#include "cli/common/help-page.h"

static int run(const struct settings *settings, bool is_check)
{
	(void)settings;
	(void)is_check;
	return 0;
}

static const struct column columns[] = {
	{.head = "PSS", .field = "pss_bytes", .flags = COLUMN_SORT},
	{.head = "NAME", .field = "name"},
	{.head = "MAX-RSS", .field = "rss_max", .flags = COLUMN_SORT},
};

static const struct columns all_columns = {columns, ARRAY_SIZE(columns)};

static const struct command commands[] = {
	{.name = "status",
		.operands = " PID...",
		.purpose = "a state",
		.about = "It has no operands.",
		.example = {{"status -j", "The state as JSON."}, {"status", "The state."}},
		.view = CLI_VIEW_STATUS,
		.run = run},
	{.name = "absent", .operands = "", .purpose = "nothing", .about = "", .view = CLI_VIEW_MAP},
	{.name = "a_long_name",
		.operands = " [PID...]",
		.purpose = "much",
		.about = "",
		.example = {{"", ""}, {"", ""}},
		.view = CLI_VIEW_LIST,
		.columns = {&all_columns},
		.run = run},
	{.name = NULL},
};

static const char *terminated(struct buffer *b)
{
	buffer_add_char(b, '\0');
	assert_int_equal(b->error, 0);
	return b->data;
}

static void a_page_has_purpose_options_and_examples(void **state)
{
	static const char expected[] =
		"Usage: memtally status [OPTION...] PID...\n"
		"\n"
		"Prints a state. It has no operands.\n"
		"\n"
		"Options:\n"
		"  -j, --json              Print JSON, in the form of memtally-web's answers.\n"
		"      --at=TIME           As it was at that time, from the last snapshot that\n"
		"                          memtally-recorder has of it. A time of day (03:12:\n"
		"                          the last one), a date and a time (\"2026-11-01\n"
		"                          08:00\"), a duration ago (-15m), yesterday, today, or\n"
		"                          oom (before the last OOM kill); local time.\n"
		"  -h, --help              Print this help and exit.\n"
		"\n"
		"Other options: --config.file, --snapshot.socket, --log.level,\n"
		"--recorder.socket, --recorder.directory, --check-config, --version; see\n"
		"memtally help options.\n"
		"\n"
		"Examples:\n"
		"  memtally status -j\n"
		"      The state as JSON.\n"
		"  memtally status\n"
		"      The state.\n"
		"\n"
		"Man page: memtally-status(1)\n";
	AUTO_BUFFER struct buffer page = {0}, list = {0};

	(void)state;
	help_page_command(&commands[0], &page);
	assert_string_equal(terminated(&page), expected);
	help_page_command(&commands[2], &list);
	assert_non_null(strstr(terminated(&list), "\nMan page: memtally(1)\n"));
	assert_non_null(
		strstr(list.data, "\n  -u, --user=NAME         Only this user: the exact name"));
	assert_non_null(strstr(list.data, "By default pss. Columns: pss, max-rss.\n"));
	assert_null(strstr(list.data, "  --diff"));
}

static void the_overview_has_the_commands_of_the_build(void **state)
{
	AUTO_BUFFER struct buffer b = {0};

	(void)state;
	help_page_overview(commands, &b);
	assert_non_null(strstr(terminated(&b),
		"\nCommands:\n"
		"  status PID...     a state\n"
		"  a_long_name [PID...] much\n"
		"\nCommon options:\n"
		"  -j, --json        Print JSON, in the form of memtally-web's answers\n"));
	assert_null(strstr(b.data, "absent"));
}

static void reports_lack_of_memory(void **state)
{
	AUTO_BUFFER struct buffer b = {.error = -ENOMEM};

	(void)state;
	help_page_overview(commands, &b);
	help_page_command(&commands[0], &b);
	assert_int_equal(b.error, -ENOMEM);
	assert_int_equal(b.len, 0);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_page_has_purpose_options_and_examples),
		cmocka_unit_test(the_overview_has_the_commands_of_the_build),
		cmocka_unit_test(reports_lack_of_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
