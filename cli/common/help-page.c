/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "cli/common/help-page.h"

#include <string.h>

#include "config/help.h"

enum {
	COMMAND_COLUMN = 20, /* where the purposes of commands begin */
	EXAMPLE_INDENT = 6,
};

static void help_page_add_command(const struct command *c, struct buffer *to)
{
	size_t len = strlen(c->name) + strlen(c->operands) + 2;

	buffer_printf(to, "  %s%s%*s%s\n", c->name, c->operands,
		(int)(len < COMMAND_COLUMN ? COMMAND_COLUMN - len : 1), "", c->purpose);
}

void help_page_overview(const struct command *commands, struct buffer *to)
{
	size_t options;
	const struct option_spec *spec = option_table(&options);

	buffer_add_text(to,
		"Usage: memtally [COMMAND] [OPTION...]\n\n"
		"Prints how much memory programs (by default), other owners of processes, single\n"
		"processes or the whole host really use.\n\nCommands:\n");
	for (const struct command *c = commands; c->name; c++)
		if (c->run)
			help_page_add_command(c, to);
	buffer_add_text(to, "\nCommon options:\n");
	for (size_t i = 0; i < options; i++)
		if (spec[i].programs & PROGRAM_MEMTALLY && spec[i].letter)
			help_render_brief(&spec[i], to);
	buffer_add_text(to,
		"\n\"memtally COMMAND --help\" prints the options and examples of a command,\n"
		"\"memtally help options\" all options. memtally(1) describes everything.\n");
}

/* Returns true if SPEC is not about figures: all programs have it, or the configuration file. */
static bool is_general(const struct option_spec *spec)
{
	return !spec->letter && (spec->in_file || spec->programs != PROGRAM_MEMTALLY);
}

static void help_page_add_paragraph(const char *text, size_t indent, struct buffer *to)
{
	help_fill(text, 0, indent, to);
	buffer_add_char(to, '\n');
}

static void help_page_add_options(const struct command *c, struct buffer *to)
{
	AUTO_BUFFER struct buffer sorts = {0}, others = {0};
	size_t count;
	const struct option_spec *spec = option_table(&count);

	buffer_add_text(&sorts, "Columns: ");
	command_add_sorts(c, ", ", &sorts);
	buffer_add(&sorts, ".", sizeof("."));
	buffer_add_text(&others, "Other options:");
	buffer_add_text(to, "\nOptions:\n");
	for (size_t i = 0; i < count; i++) {
		bool is_sort = !strcmp(spec[i].name, "sort");

		if (!command_takes(c, &spec[i]))
			continue;
		if (is_general(&spec[i]))
			buffer_printf(&others, " --%s,", spec[i].name);
		else
			help_render_option(&spec[i], command_scope(c),
				is_sort && !sorts.error ? sorts.data : NULL, to);
	}
	if (!others.error)
		others.data[others.len - 1] = ';';
	buffer_add(&others, " see memtally help options.", sizeof(" see memtally help options."));
	buffer_add_char(to, '\n');
	if (sorts.error || others.error)
		to->error = sorts.error ? sorts.error : others.error;
	else
		help_page_add_paragraph(others.data, 0, to);
}

static void help_page_add_examples(const struct command *c, struct buffer *to)
{
	buffer_add_text(to, "\nExamples:\n");
	for (size_t i = 0; i < COMMAND_EXAMPLES; i++) {
		buffer_printf(to, "  memtally %s\n", c->example[i].arguments);
		help_page_add_paragraph(c->example[i].purpose, EXAMPLE_INDENT, to);
	}
}

/* Returns true if C has a man page of its own. */
static bool has_page(const struct command *c)
{
	return !command_is_list(c) && c->view != CLI_VIEW_HOST && c->view != CLI_VIEW_HELP;
}

void help_page_command(const struct command *c, struct buffer *to)
{
	AUTO_BUFFER struct buffer purpose = {0};

	buffer_printf(&purpose, "Prints %s. %s", c->purpose, c->about);
	buffer_add_char(&purpose, '\0');
	buffer_printf(to, "Usage: memtally %s [OPTION...]%s\n\n", c->name, c->operands);
	if (purpose.error)
		to->error = purpose.error;
	else
		help_page_add_paragraph(purpose.data, 0, to);
	help_page_add_options(c, to);
	help_page_add_examples(c, to);
	buffer_printf(to, "\nMan page: memtally%s%s(1)\n", has_page(c) ? "-" : "",
		has_page(c) ? c->name : "");
}
