/* SPDX-License-Identifier: Apache-2.0 */
/* _arguments parses the command line; it gets the options of the command that is in it. */
#include "config.h"

#include <errno.h>
#include <string.h>

#include "cli/completion/completion-private.h"
#include "cli/completion/completion.h"

static const char begin[] = "#compdef memtally\n"
			    "# " COMPLETION_TITLE "\n"
			    "\n"
			    "_memtally() {\n"
			    "\tlocal command word skip=0\n"
			    "\tlocal -a options operands\n"
			    "\n"
			    "\tfor word in ${words[2,CURRENT-1]}; do\n"
			    "\t\tif ((skip)); then\n"
			    "\t\t\tskip=0\n"
			    "\t\t\tcontinue\n"
			    "\t\tfi\n"
			    "\t\tcase $word in\n"
			    "\t\t(";

/* The action behind the message in a specification. Words come from completion_add_words(). */
static const char *const actions[COMPLETION_VALUES] = {
	[COMPLETION_NOTHING] = " ",
	[COMPLETION_USERS] = "_users",
	[COMPLETION_GROUPS] = "_groups",
	[COMPLETION_PIDS] = "_pids",
	[COMPLETION_FILES] = "_files",
};

/* Adds the scan of the words for the first operand. */
static void zsh_add_scan(struct buffer *to)
{
	buffer_add_text(to, begin);
	completion_add_options_with_value("|", to);
	buffer_add_text(to, ") skip=1 ;;\n\t\t(-[!-]*) [[ $word =~ '^-[");
	completion_add_letters(false, to);
	buffer_add_text(to, "]*[");
	completion_add_letters(true, to);
	buffer_add_text(to, "]$' ]] && skip=1 ;;\n"
			    "\t\t(-*) ;;\n"
			    "\t\t(*) command=$word; break ;;\n"
			    "\t\tesac\n"
			    "\tdone\n");
}

/* Adds the message and the action for the value of SPEC; none if it takes none. */
static void zsh_add_value(const struct command *c, const struct option_spec *spec, bool takes_value,
	struct buffer *to)
{
	enum completion_value value = completion_value_of(spec);

	if (!takes_value)
		return;
	buffer_printf(to, ":%s:", spec->metavar);
	if (value == COMPLETION_WORDS && !strcmp(spec->name, "sort")) {
		buffer_add_text(to, "($sorts)");
	} else if (value == COMPLETION_WORDS) {
		buffer_add_char(to, '(');
		completion_add_words(c, spec, to);
		buffer_add_char(to, ')');
	} else {
		buffer_add_text(to, actions[value]);
	}
}

/*
 * Adds the specifications of SPEC for _arguments, for the long option and for the letter. Each
 * excludes both, unless the option may be given several times.
 */
static void zsh_add_option(
	const struct command *c, const struct option_spec *spec, struct buffer *to)
{
	bool takes_value = completion_takes_value(spec), is_list = option_is_list(spec);
	AUTO_BUFFER struct buffer brief = {0}, text = {0}, first = {0};

	completion_add_brief(c, spec, &brief);
	completion_add_quoted(&brief, "[]\"$`\\", "'", &text);
	if (is_list)
		buffer_add_char(&first, '*');
	else if (spec->letter)
		buffer_printf(&first, "(-%c --%s)", spec->letter, spec->name);
	if (text.error || first.error) {
		to->error = -ENOMEM;
		return;
	}
	buffer_printf(to, "\t\t\t\"%.*s--%s%s[%.*s]", (int)first.len, first.data ? first.data : "",
		spec->name, takes_value ? "=" : "", (int)text.len, text.data ? text.data : "");
	zsh_add_value(c, spec, takes_value, to);
	buffer_add_text(to, "\"\n");
	if (!spec->letter)
		return;
	takes_value = completion_letter_takes_value(spec);
	buffer_printf(to, "\t\t\t\"%.*s-%c%s[", (int)first.len, first.data, spec->letter,
		takes_value ? "+" : "");
	if (spec->letter_value)
		buffer_printf(to, "The same as --%s=%s", spec->name, spec->letter_value);
	else
		buffer_add(to, text.data, text.len);
	buffer_add_char(to, ']');
	zsh_add_value(c, spec, takes_value, to);
	buffer_add_text(to, "\"\n");
}

static void zsh_add_view(const struct command *commands, enum cli_view view, struct buffer *to)
{
	const struct command *c = completion_first_of(commands, view);
	size_t options;
	const struct option_spec *spec = option_table(&options);

	if (!c)
		return;
	buffer_add_text(to, "\t(");
	completion_add_commands(commands, view, "|", to);
	buffer_add_text(to, ")\n\t\toptions=(\n");
	for (size_t i = 0; i < options; i++)
		if (command_takes(c, &spec[i]))
			zsh_add_option(c, &spec[i], to);
	buffer_add_text(to, "\t\t)\n");
	if (completion_has_pids(c)) {
		buffer_add_text(to, "\t\toperands=('*:PID:_pids')\n");
	} else if (view == CLI_VIEW_HELP) {
		buffer_add_text(to, "\t\toperands=('2:command:(options ");
		completion_add_commands(commands, CLI_VIEWS, " ", to);
		buffer_add_text(to, ")')\n");
	}
	buffer_add_text(to, "\t\t;;\n");
}

void completion_render_zsh(const struct command *commands, struct buffer *to)
{
	zsh_add_scan(to);
	/* the names for --sort come before the specifications that have them */
	buffer_add_text(to, "\tlocal sorts=\n");
	completion_add_sorts(commands, "(", to);
	buffer_add_text(to, "\tcase ${command:-programs} in\n");
	for (unsigned int view = 0; view < CLI_VIEWS; view++)
		zsh_add_view(commands, (enum cli_view)view, to);
	buffer_add_text(to, "\tesac\n\tlocal -a commands=(\n");
	for (const struct command *c = commands; c->name; c++) {
		AUTO_BUFFER struct buffer purpose = {0};

		if (!c->run)
			continue;
		buffer_add_text(&purpose, c->purpose);
		buffer_printf(to, "\t\t'%s:", c->name);
		completion_add_quoted(&purpose, ":\\", "'\\''", to);
		buffer_add_text(to, "'\n");
	}
	buffer_add_text(to, "\t)\n"
			    "\t_arguments -s -S $options \\\n"
			    "\t\t'1:command:{_describe command commands}' $operands\n"
			    "}\n"
			    "_memtally \"$@\"\n");
}
