/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An equals sign is a word of its own in COMP_WORDS, unless the user has changed COMP_WORDBREAKS.
 * Bash then completes only the part behind it.
 */
#include "config.h"

#include <string.h>

#include "cli/completion/completion-private.h"
#include "cli/completion/completion.h"

/* The beginning; behind it stand the names of the commands. */
static const char begin[] =
	"# bash: " COMPLETION_TITLE "\n"
	"\n"
	"# Sets \"option\" to the option that takes its value from the word after $1; empty: none.\n"
	"_memtally_option()\n"
	"{\n"
	"\toption=''\n";

static const char middle[] =
	"}\n"
	"\n"
	"_memtally()\n"
	"{\n"
	"\tlocal cur=${COMP_WORDS[COMP_CWORD]} command='' option='' prefix='' options='' sorts='' bys='' operands='' i\n"
	"\n"
	"\tCOMPREPLY=()\n"
	"\tfor ((i = 1; i < COMP_CWORD; i++)); do\n"
	"\t\t_memtally_option \"${COMP_WORDS[i]}\"\n"
	"\t\tif [[ ${COMP_WORDS[i + 1]} == = ]]; then\n"
	"\t\t\t((i += 2))\n"
	"\t\telif [[ $option ]]; then\n"
	"\t\t\t((i++))\n"
	"\t\telif [[ ${COMP_WORDS[i]} != -* ]]; then\n"
	"\t\t\tcommand=${COMP_WORDS[i]}\n"
	"\t\t\tbreak\n"
	"\t\tfi\n"
	"\tdone\n"
	"\tif [[ $cur == = ]]; then\n"
	"\t\toption=${COMP_WORDS[COMP_CWORD - 1]} cur=''\n"
	"\telif [[ ${COMP_WORDS[COMP_CWORD - 1]} == = ]]; then\n"
	"\t\toption=${COMP_WORDS[COMP_CWORD - 2]}\n"
	"\telif [[ $cur == --*=* ]]; then\n"
	"\t\toption=${cur%%=*} prefix=${cur%%=*}= cur=${cur#*=}\n"
	"\telse\n"
	"\t\t_memtally_option \"${COMP_WORDS[COMP_CWORD - 1]}\"\n"
	"\tfi\n"
	"\tcase ${command:-programs} in\n";

static const char end[] = "\telse\n"
			  "\t\tmapfile -t COMPREPLY < <(compgen -W \"$operands\" -- \"$cur\")\n"
			  "\tfi\n"
			  "}\n"
			  "complete -F _memtally memtally\n";

static const char pids[] = "$(cd /proc && echo [0-9]*)";

static void bash_add_commands_of_view(
	const struct command *commands, enum cli_view view, struct buffer *to)
{
	const struct command *c = completion_first_of(commands, view);
	size_t options;
	const struct option_spec *spec = option_table(&options),
				 *by = option_find("by", PROGRAM_MEMTALLY);

	if (!c)
		return;
	buffer_add_text(to, "\t");
	completion_add_commands(commands, view, " | ", to);
	buffer_add_text(to, ")\n\t\toptions='");
	for (size_t i = 0; i < options; i++)
		if (command_takes(c, &spec[i]))
			buffer_printf(to, "--%s%s ", spec[i].name,
				completion_takes_value(&spec[i]) ? "=" : "");
	buffer_add_text(to, "'\n");
	if (c->by && by) {
		buffer_add_text(to, "\t\tbys='");
		completion_add_words(c, by, to);
		buffer_add_text(to, "'\n");
	}
	if (completion_has_pids(c))
		buffer_printf(to, "\t\toperands=%s\n", pids);
	if (c->view == CLI_VIEW_HELP) {
		buffer_add_text(to, "\t\toperands='options ");
		completion_add_commands(commands, CLI_VIEWS, " ", to);
		buffer_add_text(to, "'\n");
	}
	buffer_add_text(to, "\t\t;;\n");
}

static void bash_add_value(const struct option_spec *spec, struct buffer *to)
{
	static const char *const made_by[COMPLETION_VALUES] = {
		[COMPLETION_USERS] = "-u",
		[COMPLETION_GROUPS] = "-g",
		[COMPLETION_FILES] = "-f",
	};
	enum completion_value value = completion_value_of(spec);

	if (value == COMPLETION_NOTHING)
		return;
	buffer_printf(to, "\t--%s) ", spec->name);
	if (value == COMPLETION_FILES)
		buffer_add_text(to, "compopt -o filenames 2>/dev/null; ");
	buffer_add_text(to, "mapfile -t COMPREPLY < <(compgen ");
	if (!strcmp(spec->name, "sort")) {
		buffer_add_text(to, "-W \"$sorts\"");
	} else if (!strcmp(spec->name, "by")) {
		buffer_add_text(to, "-W \"$bys\"");
	} else if (value == COMPLETION_WORDS) {
		buffer_add_text(to, "-W '");
		completion_add_words(NULL, spec, to);
		buffer_add_char(to, '\'');
	} else if (value == COMPLETION_PIDS) {
		buffer_printf(to, "-W \"%s\"", pids);
	} else {
		buffer_add_text(to, made_by[value]);
	}
	buffer_add_text(to, " -P \"$prefix\" -- \"$cur\") ;;\n");
}

/* Adds the function that knows which options take a value. */
static void bash_add_options(struct buffer *to)
{
	size_t count;
	const struct option_spec *spec = option_table(&count);

	buffer_add_text(to, "\tcase $1 in\n\t");
	completion_add_options_with_value(" | ", to);
	buffer_add_text(to, ") option=$1 ;;\n");
	for (size_t i = 0; i < count; i++)
		if (spec[i].programs & PROGRAM_MEMTALLY && spec[i].letter &&
			completion_letter_takes_value(&spec[i])) {
			buffer_printf(to, "\t-%c) option=--%s ;;\n", spec[i].letter, spec[i].name);
			buffer_printf(to, "\t-[!-]*%c) [[ $1 =~ ^-[", spec[i].letter);
			completion_add_letters(false, to);
			buffer_printf(
				to, "]*%c$ ]] && option=--%s ;;\n", spec[i].letter, spec[i].name);
		}
	buffer_add_text(to, "\tesac\n");
}

void completion_render_bash(const struct command *commands, struct buffer *to)
{
	size_t options;
	const struct option_spec *spec = option_table(&options);

	buffer_add_text(to, begin);
	bash_add_options(to);
	buffer_add_text(to, middle);
	for (unsigned int view = 0; view < CLI_VIEWS; view++)
		bash_add_commands_of_view(commands, (enum cli_view)view, to);
	buffer_add_text(to, "\tesac\n");
	completion_add_sorts(commands, "", to);
	buffer_add_text(to, "\tcase $option in\n\t'') ;;\n");
	for (size_t i = 0; i < options; i++)
		if (spec[i].programs & PROGRAM_MEMTALLY && completion_takes_value(&spec[i]))
			bash_add_value(&spec[i], to);
	buffer_add_text(to, "\tesac\n"
			    "\tif [[ $option ]]; then\n"
			    "\t\treturn\n"
			    "\telif [[ $cur == -* ]]; then\n"
			    "\t\tmapfile -t COMPREPLY < <(compgen -W \"$options\" -- \"$cur\")\n"
			    "\t\t[[ ${COMPREPLY[0]} != *= ]] || compopt -o nospace 2>/dev/null\n"
			    "\telif [[ ! $command ]]; then\n"
			    "\t\tmapfile -t COMPREPLY < <(compgen -W '");
	completion_add_commands(commands, CLI_VIEWS, " ", to);
	buffer_add_text(to, "' -- \"$cur\")\n");
	buffer_add_text(to, end);
}
