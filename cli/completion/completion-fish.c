/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include <string.h>

#include "cli/completion/completion-private.h"
#include "cli/completion/completion.h"

static const char begin[] = "# fish: " COMPLETION_TITLE "\n"
			    "\n"
			    "# Prints the command of the line; fails if there is none.\n"
			    "function __memtally_command\n"
			    "    set -l words (commandline -opc)\n"
			    "    set -l skip 0\n"
			    "    set -e words[1]\n"
			    "    for word in $words\n"
			    "        if test $skip = 1\n"
			    "            set skip 0\n"
			    "        else if contains -- $word ";

static const char middle[] =
	"            set skip 1\n"
	"        else if not string match -q -- '-*' $word\n"
	"            echo $word\n"
	"            return 0\n"
	"        end\n"
	"    end\n"
	"    return 1\n"
	"end\n"
	"\n"
	"# Succeeds if the command of the line is one of the arguments; programs is the default.\n"
	"function __memtally_is\n"
	"    set -l command (__memtally_command)\n"
	"    or set command programs\n"
	"    contains -- $command $argv\n"
	"end\n"
	"\n"
	"complete -c memtally -f\n";

static void fish_add_text(const struct buffer *text, struct buffer *to)
{
	buffer_add_char(to, '\'');
	completion_add_quoted(text, "\\", "\\'", to);
	buffer_add_char(to, '\'');
}

/* Adds the beginning of a line for the commands that take SPEC, of those with the same VIEW. */
static void fish_add_condition(
	const struct command *commands, enum cli_view view, struct buffer *to)
{
	buffer_add_text(to, "complete -c memtally -n '__memtally_is ");
	completion_add_commands(commands, view, " ", to);
	buffer_add_char(to, '\'');
}

/* Adds what completes the value of SPEC for C. */
static void fish_add_value(
	const struct command *c, const struct option_spec *spec, struct buffer *to)
{
	static const char *const sources[COMPLETION_VALUES] = {
		[COMPLETION_NOTHING] = " -x",
		[COMPLETION_USERS] = " -x -a '(__fish_complete_users)'",
		[COMPLETION_GROUPS] = " -x -a '(__fish_complete_groups)'",
		[COMPLETION_PIDS] = " -x -a '(__fish_complete_pids)'",
		[COMPLETION_FILES] = " -r -F",
	};
	enum completion_value value = completion_value_of(spec);

	if (value == COMPLETION_WORDS) {
		buffer_add_text(to, " -x -a '");
		completion_add_words(c, spec, to);
		buffer_add_char(to, '\'');
	} else {
		buffer_add_text(to, sources[value]);
	}
}

/* Adds SPEC for C; the line has a condition already. */
static void fish_add_option(
	const struct command *c, const struct option_spec *spec, struct buffer *to)
{
	AUTO_BUFFER struct buffer brief = {0};

	buffer_printf(to, " -l %s", spec->name);
	if (spec->letter && !spec->letter_value)
		buffer_printf(to, " -s %c", spec->letter);
	if (completion_takes_value(spec))
		fish_add_value(c, spec, to);
	completion_add_brief(c, spec, &brief);
	buffer_add_text(to, " -d ");
	fish_add_text(&brief, to);
	buffer_add_char(to, '\n');
}

static void fish_add_view(const struct command *commands, enum cli_view view, struct buffer *to)
{
	const struct command *c = completion_first_of(commands, view);
	size_t options;
	const struct option_spec *spec = option_table(&options);

	for (size_t i = 0; c && i < options; i++) {
		if (!command_takes(c, &spec[i]))
			continue;
		if (spec[i].letter_value) {
			fish_add_condition(commands, view, to);
			buffer_printf(to, " -s %c -d 'The same as --%s=%s'\n", spec[i].letter,
				spec[i].name, spec[i].letter_value);
		}
		if (!strcmp(spec[i].name, "sort")) /* the names are of each command */
			continue;
		fish_add_condition(commands, view, to);
		fish_add_option(c, &spec[i], to);
	}
}

static void fish_add_command(const struct command *c, struct buffer *to)
{
	AUTO_BUFFER struct buffer purpose = {0};

	buffer_add_text(&purpose, c->purpose);
	buffer_printf(to, "complete -c memtally -n 'not __memtally_command' -a %s -d ", c->name);
	fish_add_text(&purpose, to);
	buffer_add_char(to, '\n');
	if (cli_option_is_for("sort", c->view)) {
		buffer_printf(to, "complete -c memtally -n '__memtally_is %s'", c->name);
		fish_add_option(c, option_find("sort", PROGRAM_MEMTALLY), to);
	}
	if (completion_has_pids(c))
		buffer_printf(to,
			"complete -c memtally -n '__memtally_is %s' -a '(__fish_complete_pids)'\n",
			c->name);
}

void completion_render_fish(const struct command *commands, struct buffer *to)
{
	buffer_add_text(to, begin);
	completion_add_options_with_value(" ", to);
	buffer_add_text(to, "\n            set skip 1\n        else if string match -qr -- '^-[");
	completion_add_letters(false, to);
	buffer_add_text(to, "]*[");
	completion_add_letters(true, to);
	buffer_add_text(to, "]$' $word\n");
	buffer_add_text(to, middle);
	for (const struct command *c = commands; c->name; c++)
		if (c->run)
			fish_add_command(c, to);
	for (unsigned int view = 0; view < CLI_VIEWS; view++)
		fish_add_view(commands, (enum cli_view)view, to);
	buffer_add_text(to, "complete -c memtally -n '__memtally_is help' -a 'options ");
	completion_add_commands(commands, CLI_VIEWS, " ", to);
	buffer_add_text(to, "'\n");
}
