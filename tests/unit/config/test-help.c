/* SPDX-License-Identifier: Apache-2.0 */
/* Tests --help and the generated parts of the man pages against the option table. */
#include "config.h"

#include "tests/unit/support/unit.h"

#include "config/help.h"

static const enum program programs[] = {PROGRAM_MEMTALLYD, PROGRAM_WEB, PROGRAM_MEMTALLY};

/* Returns "-n, " with the form FORM for an option with that short form; "" for one without. */
static const char *short_form(const struct option_spec *spec, const char *form, char to[static 16])
{
	to[0] = 0;
	if (spec->letter && !spec->letter_value)
		snprintf(to, 16, form, spec->letter);
	return to;
}

static const char *terminated(struct buffer *b)
{
	buffer_add_char(b, '\0');
	assert_int_equal(b->error, 0);
	return b->data;
}

static size_t count_lines(const char *text, const char *line)
{
	size_t len = strlen(line), count = 0;

	for (const char *at = text; (at = strstr(at, line)); at += len)
		count += (at == text || at[-1] == '\n') && at[len] == '\n';
	return count;
}

/* Calls CHECK with each line of TEXT. */
static void each_line(const char *text, void (*check)(const char *line, size_t len))
{
	while (*text) {
		size_t len = strcspn(text, "\n");

		assert_int_equal(text[len], '\n'); /* the last line ends with a newline, too */
		check(text, len);
		text += len + 1;
	}
}

static void check_help_line(const char *line, size_t len)
{
	assert_true(len <= 79);
	assert_true(!len || line[len - 1] != ' ');
	assert_null(memchr(line, '\t', len));
}

static void help_lists_the_programs_options(void **state)
{
	size_t count;
	const struct option_spec *spec = option_table(&count);

	(void)state;
	for (size_t p = 0; p < ARRAY_SIZE(programs); p++) {
		AUTO_BUFFER struct buffer b = {0};
		const char *text;

		help_render(programs[p], "prog [OPTION ...]", "Does something.", &b);
		text = terminated(&b);
		assert_int_equal(
			strncmp(text, "Usage: prog [OPTION ...]\n\nDoes something.\n\n", 43), 0);
		each_line(text, check_help_line);
		for (size_t i = 0; i < count; i++) {
			char line[128], letter[16];

			snprintf(line, sizeof(line), "  %s--%s%s%s",
				short_form(&spec[i], "-%c, ", letter), spec[i].name,
				spec[i].metavar ? "=" : "", spec[i].metavar ? spec[i].metavar : "");
			assert_int_equal(count_lines(text, line),
				(spec[i].programs & (unsigned int)programs[p]) != 0);
		}
	}
}

/* The option's paragraph is filled and indented, with range and default at its end. */
static void help_has_range_and_default(void **state)
{
	static const char expected[] =
		"  --interval=DURATION\n"
		"        From the start of one pass over all processes to the start of the next.\n"
		"        Takes a duration from 100ms to 1d, such as 10s.\n"
		"        Default: 10s\n";
	AUTO_BUFFER struct buffer b = {0};

	(void)state;
	help_render(PROGRAM_MEMTALLYD, "u", "p", &b);
	assert_non_null(strstr(terminated(&b), expected));
}

/* Only memtally reads variables. */
static void help_names_the_variable(void **state)
{
	static const char line[] = "        Environment: MEMTALLY_SNAPSHOT_SOCKET";

	(void)state;
	for (size_t p = 0; p < ARRAY_SIZE(programs); p++) {
		AUTO_BUFFER struct buffer help = {0}, page = {0};
		bool reads = programs[p] == PROGRAM_MEMTALLY;

		help_render(programs[p], "u", "p", &help);
		help_render_mdoc(programs[p], &page);
		assert_int_equal(count_lines(terminated(&help), line), reads);
		assert_int_equal(
			count_lines(terminated(&page), ".Ev MEMTALLY_SNAPSHOT_SOCKET"), reads);
	}
}

/* A letter that stands for a value is explained in the option's paragraph. */
static void help_explains_letters_with_a_value(void **state)
{
	AUTO_BUFFER struct buffer help = {0}, mdoc = {0};

	(void)state;
	help_render(PROGRAM_MEMTALLY, "u", "p", &help);
	assert_non_null(strstr(terminated(&help), "  --order=ORDER\n"));
	assert_non_null(strstr(help.data, "\n        -r is the same as --order=asc.\n"));
	help_render_mdoc(PROGRAM_MEMTALLY, &mdoc);
	assert_non_null(strstr(
		terminated(&mdoc), "\n.Fl r\nis the same as\n.Fl \\-order Ns = Ns Cm asc .\n"));
}

/* Breaking text into lines loses no word. */
static void help_keeps_every_word(void **state)
{
	AUTO_BUFFER struct buffer b = {0};
	AUTO_BUFFER struct buffer words = {0};
	size_t count;
	const struct option_spec *spec = option_table(&count);
	const char *text;

	(void)state;
	help_render(PROGRAM_WEB, "u", "p", &b);
	for (const char *c = terminated(&b); *c; c++) /* any run of white space becomes one blank */
		if (*c != ' ' && *c != '\n')
			buffer_add_char(&words, *c);
		else if (words.len && words.data[words.len - 1] != ' ')
			buffer_add_char(&words, ' ');
	text = terminated(&words);
	for (size_t i = 0; i < count; i++)
		if (spec[i].programs & PROGRAM_WEB)
			assert_non_null(strstr(text, spec[i].help));
}

/* Text with names of commands, such as "map: ...", is about these commands only. */
static void a_command_has_its_own_sentences(void **state)
{
	static const struct option_spec spec = {.name = "by",
		.programs = PROGRAM_MEMTALLY,
		.type = OPTION_TEXT,
		.metavar = "KIND",
		.help = "Rows by KIND: any one. Or all. usage: user (default). A date, too. map, pages: by "
			"file. lists: none."};
	static const struct {
		const char *command, *text;
	} cases[] = {
		{"usage", "Rows by KIND: any one. Or all. User (default). A date, too."},
		{"map", "Rows by KIND: any one. Or all. By file."},
		{"pages", "Rows by KIND: any one. Or all. By file."},
		{"lists", "Rows by KIND: any one. Or all. None."},
		{"age", "Rows by KIND: any one. Or all."},
		{"page", "Rows by KIND: any one. Or all."},
		{"", "Rows by KIND: any one. Or all."},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		AUTO_BUFFER struct buffer b = {0};

		help_add_text(&spec, cases[i].command, &b);
		assert_string_equal(terminated(&b), cases[i].text);
	}
}

static void options_of_a_command_have_two_columns(void **state)
{
	static const struct option_spec wide = {.name = "abcdefghijklmnop",
		.metavar = "VALUE",
		.type = OPTION_TEXT,
		.help = "A text."};
	static const char expected[] =
		"  -n, --limit=N           Print only the first N rows; the total stays that of\n"
		"                          all rows. Takes a whole number from 1 to 1000000. And\n"
		"                          more.\n"
		"      --order=ORDER       Sort in this order, asc or desc; by default desc for\n"
		"                          quantities, asc for names. -r is the same as\n"
		"                          --order=asc.\n"
		"      --abcdefghijklmnop=VALUE\n"
		"                          A text.\n"
		"      --per=SPAN          Takes all, hour, day or month. Default: all.\n";
	static const char *const spans[] = {"all", "hour", "day", "month", NULL};
	static const struct option_spec per = {.name = "per",
		.type = OPTION_CHOICE,
		.metavar = "SPAN",
		.fallback = "all",
		.choices = spans,
		.help = "usage: for each."};
	AUTO_BUFFER struct buffer b = {0};

	(void)state;
	help_render_option(option_find("limit", PROGRAM_MEMTALLY), "users", "And more.", &b);
	help_render_option(option_find("order", PROGRAM_MEMTALLY), "users", NULL, &b);
	help_render_option(&wide, "users", NULL, &b);
	help_render_option(&per, "users", NULL, &b);
	assert_string_equal(terminated(&b), expected);
}

/* Commands that take different values have them in the order of their sentences. */
static void a_command_has_its_own_value(void **state)
{
	static const struct option_spec spec = {.name = "since",
		.type = OPTION_TEXT,
		.metavar = "TIME|FILE",
		.help = "Common. usage: the beginning. Default: a day ago. map, pages: this file."};
	static const struct option_spec both = {.name = "from",
		.type = OPTION_TEXT,
		.metavar = "URL|FILE",
		.help = "compare: both."};
	static const char expected[] =
		"      --since=TIME        Common. The beginning. Default: a day ago.\n"
		"      --since=FILE        Common. This file.\n"
		"      --since=FILE        Common. This file.\n"
		"      --from=URL|FILE     Both.\n";
	AUTO_BUFFER struct buffer b = {0};

	(void)state;
	help_render_option(&spec, "usage", NULL, &b);
	help_render_option(&spec, "map", NULL, &b);
	help_render_option(&spec, "pages", NULL, &b);
	help_render_option(&both, "compare", NULL, &b);
	assert_string_equal(terminated(&b), expected);
}

static void a_brief_option_is_one_line(void **state)
{
	AUTO_BUFFER struct buffer b = {0};

	(void)state;
	help_render_brief(option_find("limit", PROGRAM_MEMTALLY), &b);
	help_render_brief(option_find("order", PROGRAM_MEMTALLY), &b);
	help_render_brief(option_find("json", PROGRAM_MEMTALLY), &b);
	assert_string_equal(terminated(&b),
		"  -n, --limit=N     Print only the first N rows\n"
		"  -r, --order=asc   Sort in this order, asc or desc\n"
		"  -j, --json        Print JSON, in the form of memtally-web's answers\n");
}

static int list_depth;

static void check_mdoc_line(const char *line, size_t len)
{
	static const char *const macros[] = {".It ", ".Ql ", ".Xr ", ".Ev ", ".Fl "};

	assert_true(len > 0); /* mdoc warns of empty lines */
	assert_true(line[len - 1] != ' ');
	if (!strncmp(line, ".Bl -tag", 8)) {
		list_depth++;
	} else if (!strncmp(line, ".El", len)) {
		list_depth--;
	} else if (line[0] == '.') {
		bool known = false;

		for (size_t i = 0; i < ARRAY_SIZE(macros); i++)
			known |= !strncmp(line, macros[i], 4);
		assert_true(known);
		assert_int_equal(list_depth, 1);
	} else {
		assert_int_not_equal(line[0], '\'');
		assert_null(memchr(line, '\\', len));
	}
}

static void check_mdoc(const char *text)
{
	list_depth = 0;
	each_line(text, check_mdoc_line);
	assert_int_equal(list_depth, 0);
}

static void mdoc_lists_the_programs_options(void **state)
{
	size_t count;
	const struct option_spec *spec = option_table(&count);

	(void)state;
	for (size_t p = 0; p < ARRAY_SIZE(programs); p++) {
		AUTO_BUFFER struct buffer b = {0};
		const char *text;

		help_render_mdoc(programs[p], &b);
		text = terminated(&b);
		check_mdoc(text);
		for (size_t i = 0; i < count; i++) {
			char line[128], letter[16];

			snprintf(line, sizeof(line), ".It %sFl \\-%s%s%s",
				short_form(&spec[i], "Fl %c , ", letter), spec[i].name,
				spec[i].metavar ? " Ns = Ns Ar " : "",
				spec[i].metavar ? spec[i].metavar : "");
			assert_int_equal(count_lines(text, line),
				(spec[i].programs & (unsigned int)programs[p]) != 0);
		}
	}
}

static void mdoc_lists_the_files_keys(void **state)
{
	AUTO_BUFFER struct buffer b = {0};
	size_t count;
	const struct option_spec *spec = option_table(&count);
	const char *text;

	(void)state;
	help_render_mdoc_keys(&b);
	text = terminated(&b);
	check_mdoc(text);
	for (size_t i = 0; i < count; i++) {
		char line[128];

		snprintf(line, sizeof(line), ".It Cm %s : Ar %s", spec[i].name,
			spec[i].metavar ? spec[i].metavar : "BOOL");
		assert_int_equal(count_lines(text, line), spec[i].in_file);
	}
	assert_non_null(strstr(text, "Used by\n.Xr memtallyd 8 ,\n.Xr memtally-web 8 ,\n"
				     ".Xr memtally-ledger 8 ,\n.Xr memtally-recorder 8 ,\n"
				     ".Xr memtally 1 .\n"));
	assert_non_null(strstr(text, "Used by\n.Xr memtallyd 8 .\n"));
	assert_int_equal(count_lines(text, ".Ev MEMTALLY_SNAPSHOT_SOCKET"), 1);
	assert_int_equal(count_lines(text, ".Ev MEMTALLY_LEDGER_SOCKET"), ENABLE_LEDGER);
	assert_int_equal(count_lines(text, ".Ev MEMTALLY_RECORDER_SOCKET"), 1);
}

static void reports_lack_of_memory(void **state)
{
	AUTO_BUFFER struct buffer b = {.error = -ENOMEM};

	(void)state;
	help_render(PROGRAM_WEB, "u", "p", &b);
	help_render_mdoc(PROGRAM_WEB, &b);
	help_render_mdoc_keys(&b);
	help_render_brief(option_find("limit", PROGRAM_MEMTALLY), &b);
	help_render_option(option_find("limit", PROGRAM_MEMTALLY), "users", NULL, &b);
	help_add_text(option_find("limit", PROGRAM_MEMTALLY), "users", &b);
	assert_int_equal(b.error, -ENOMEM);
	assert_int_equal(b.len, 0);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(help_lists_the_programs_options),
		cmocka_unit_test(help_has_range_and_default),
		cmocka_unit_test(help_names_the_variable),
		cmocka_unit_test(help_explains_letters_with_a_value),
		cmocka_unit_test(help_keeps_every_word),
		cmocka_unit_test(a_command_has_its_own_sentences),
		cmocka_unit_test(options_of_a_command_have_two_columns),
		cmocka_unit_test(a_command_has_its_own_value),
		cmocka_unit_test(a_brief_option_is_one_line),
		cmocka_unit_test(mdoc_lists_the_programs_options),
		cmocka_unit_test(mdoc_lists_the_files_keys),
		cmocka_unit_test(reports_lack_of_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
