/* SPDX-License-Identifier: Apache-2.0 */
/* Tests what the completion of shells takes from the tables of commands and options. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include <errno.h>

#include "cli/completion/completion-private.h"
#include "cli/completion/completion.h"
#include "cli/memtally.h"

static const char *const kinds[] = {"one", "two", NULL};

static const char *by(unsigned int i)
{
	return kinds[i];
}

static const struct column columns[] = {
	{.head = "PSS", .field = "pss_bytes", .flags = COLUMN_SORT},
	{.head = "NAME", .field = "name"},
	{.head = "MAX-RSS", .field = "rss_max", .flags = COLUMN_SORT | COLUMN_SUM},
};
static const struct column more[] = {
	{.head = "RSS", .field = "rss", .flags = COLUMN_SORT},
	{.head = "PSS", .field = "other", .flags = COLUMN_SORT},
};

static const struct columns first_columns = {columns, ARRAY_SIZE(columns)},
			    more_columns = {more, ARRAY_SIZE(more)};

static int run(const struct settings *settings, bool is_check)
{
	(void)settings;
	(void)is_check;
	return 0;
}

/* The second one is not in the build. */
static const struct command commands[] = {
	{.name = "first",
		.operands = " PID...",
		.purpose = "memory: it's 'all'",
		.view = CLI_VIEW_MAP,
		.by = by,
		.columns = {&first_columns, &more_columns},
		.run = run},
	{.name = "second", .operands = "", .purpose = "nothing", .view = CLI_VIEW_MAP},
	{.name = "third", .operands = "", .purpose = "a list", .view = CLI_VIEW_MAP, .run = run},
	{.name = "help",
		.operands = " [COMMAND]",
		.purpose = "help",
		.view = CLI_VIEW_HELP,
		.run = run},
	{.name = NULL},
};

static const char *terminated(struct buffer *b)
{
	buffer_add_char(b, '\0');
	assert_int_equal(b->error, 0);
	return b->data;
}

static void values_are_of_a_kind(void **state)
{
	static const struct {
		const char *name;
		enum completion_value value;
		bool is_inspect; /* only a build with the views inside processes has it */
	} cases[] = {
		{"sort", COMPLETION_WORDS, false},
		{"order", COMPLETION_WORDS, false},
		{"log.level", COMPLETION_WORDS, false},
		{"user", COMPLETION_USERS, false},
		{"group", COMPLETION_GROUPS, false},
		{"pid", COMPLETION_PIDS, false},
		{"config.file", COMPLETION_FILES, false},
		{"path.procfs", COMPLETION_FILES, false},
		{"limit", COMPLETION_NOTHING, false},
		{"unit", COMPLETION_NOTHING, false},
		{"json", COMPLETION_NOTHING, false},
		{"by", COMPLETION_WORDS, true},
		{"diff", COMPLETION_PIDS, true},
		{"since", COMPLETION_FILES, true},
		{"file", COMPLETION_FILES, true},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct option_spec *spec = option_find(cases[i].name, PROGRAM_MEMTALLY);

		if (cases[i].is_inspect && !ENABLE_INSPECT)
			continue;
		assert_non_null(spec);
		if (completion_value_of(spec) != cases[i].value)
			fail_msg("--%s", cases[i].name);
	}
}

static void words_are_those_of_the_tables(void **state)
{
	static const struct option_spec by_spec = {.name = "by", .type = OPTION_TEXT},
					sort_spec = {.name = "sort", .type = OPTION_TEXT},
					choice = {.name = "c",
						.type = OPTION_CHOICE,
						.choices = kinds};
	AUTO_BUFFER struct buffer sorts = {0}, bys = {0}, choices = {0}, none = {0};

	(void)state;
	completion_add_words(&commands[0], &sort_spec, &sorts);
	assert_string_equal(terminated(&sorts), "pss max-rss rss");
	completion_add_words(&commands[0], &by_spec, &bys);
	assert_string_equal(terminated(&bys), "one two");
	completion_add_words(&commands[0], &choice, &choices);
	assert_string_equal(terminated(&choices), "one two");
	completion_add_words(&commands[2], &by_spec, &none);
	completion_add_words(&commands[2], &sort_spec, &none);
	assert_int_equal(none.len, 0);
}

static void commands_are_those_of_the_build(void **state)
{
	AUTO_BUFFER struct buffer all = {0}, some = {0}, none = {0};

	(void)state;
	completion_add_commands(commands, CLI_VIEWS, " ", &all);
	assert_string_equal(terminated(&all), "first third help");
	completion_add_commands(commands, CLI_VIEW_MAP, " | ", &some);
	assert_string_equal(terminated(&some), "first | third");
	completion_add_commands(commands, CLI_VIEW_PAGES, " ", &none);
	assert_int_equal(none.len, 0);
	assert_ptr_equal(completion_first_of(commands, CLI_VIEW_MAP), &commands[0]);
	assert_null(completion_first_of(&commands[3], CLI_VIEW_MAP));
	assert_true(completion_has_pids(&commands[0]));
	assert_false(completion_has_pids(&commands[3]));
}

static void letters_are_of_two_sorts(void **state)
{
	AUTO_BUFFER struct buffer with = {0}, without = {0};

	(void)state;
	completion_add_letters(true, &with);
	assert_string_equal(terminated(&with), "snup");
	completion_add_letters(false, &without);
	assert_string_equal(terminated(&without), "jbrh");
}

static void texts_are_brief_and_quoted(void **state)
{
	static const struct option_spec spec = {.name = "x",
		.type = OPTION_BOOL,
		.help = "Common. help: other. first, second: memtally's [own] \"$1\": no more."};
	static const struct option_spec only = {.name = "y",
		.type = OPTION_BOOL,
		.help = "first: it's [a] \"$1\" at 08:00.5; no more."};
	AUTO_BUFFER struct buffer common = {0}, brief = {0}, quoted = {0}, all = {0};

	(void)state;
	completion_add_brief(&commands[0], &spec, &common);
	assert_string_equal(terminated(&common), "Common");
	completion_add_brief(&commands[0], &only, &brief);
	completion_add_quoted(&brief, "[]\"$", "'\\''", &quoted);
	assert_string_equal(terminated(&quoted), "It'\\''s \\[a\\] \\\"\\$1\\\" at 08:00.5");
	completion_add_quoted(&brief, "", "'", &all);
	assert_string_equal(terminated(&all), terminated(&brief));
}

typedef void renderer(const struct command *commands, struct buffer *to);

static renderer *const renderers[] = {
	completion_render_bash, completion_render_zsh, completion_render_fish};

/* A script names each command and each option of the build. */
static void scripts_are_complete(void **state)
{
	size_t options;
	const struct command *command = memtally_commands();
	const struct option_spec *spec = option_table(&options);

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(renderers); i++) {
		AUTO_BUFFER struct buffer b = {0};
		const char *text;

		renderers[i](command, &b);
		text = terminated(&b);
		for (size_t k = 0; command[k].name; k++)
			if (command[k].run && !strstr(text, command[k].name))
				fail_msg("%zu: %s", i, command[k].name);
		for (size_t k = 0; k < options; k++)
			if (spec[k].programs & PROGRAM_MEMTALLY && !strstr(text, spec[k].name))
				fail_msg("%zu: --%s", i, spec[k].name);
		assert_null(strstr(text, "web.listen"));
		assert_int_equal(b.data[b.len - 2], '\n');
	}
}

static void absent_commands_are_left_out(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(renderers); i++) {
		AUTO_BUFFER struct buffer b = {0};

		renderers[i](commands, &b);
		assert_non_null(strstr(terminated(&b), "third"));
		assert_null(strstr(b.data, "second"));
	}
}

static void reports_lack_of_memory(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(renderers); i++) {
		AUTO_BUFFER struct buffer b = {.error = -ENOMEM};

		renderers[i](commands, &b);
		assert_int_equal(b.error, -ENOMEM);
		assert_int_equal(b.len, 0);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(values_are_of_a_kind),
		cmocka_unit_test(words_are_those_of_the_tables),
		cmocka_unit_test(commands_are_those_of_the_build),
		cmocka_unit_test(letters_are_of_two_sorts),
		cmocka_unit_test(texts_are_brief_and_quoted),
		cmocka_unit_test(scripts_are_complete),
		cmocka_unit_test(absent_commands_are_left_out),
		cmocka_unit_test(reports_lack_of_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
