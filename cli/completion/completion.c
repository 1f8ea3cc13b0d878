/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "cli/completion/completion.h"

#include <string.h>

#include "cli/completion/completion-private.h"
#include "config/help.h"

enum completion_value completion_value_of(const struct option_spec *spec)
{
	static const struct {
		const char *metavar; /* a part of it */
		enum completion_value value;
	} kinds[] = {
		{"PID", COMPLETION_PIDS},
		{"PATH", COMPLETION_FILES},
		{"FILE", COMPLETION_FILES},
		{"DIR", COMPLETION_FILES},
	};

	if (spec->choices || !strcmp(spec->name, "sort") || !strcmp(spec->name, "by"))
		return COMPLETION_WORDS;
	if (!strcmp(spec->name, "user"))
		return COMPLETION_USERS;
	if (!strcmp(spec->name, "group"))
		return COMPLETION_GROUPS;
	for (size_t i = 0; spec->metavar && i < ARRAY_SIZE(kinds); i++)
		if (strstr(spec->metavar, kinds[i].metavar))
			return kinds[i].value;
	return COMPLETION_NOTHING;
}

bool completion_takes_value(const struct option_spec *spec)
{
	return spec->type != OPTION_BOOL;
}

bool completion_letter_takes_value(const struct option_spec *spec)
{
	return completion_takes_value(spec) && !spec->letter_value;
}

bool completion_has_pids(const struct command *c)
{
	return strstr(c->operands, "PID");
}

const struct command *completion_first_of(const struct command *commands, enum cli_view view)
{
	for (const struct command *c = commands; c->name; c++)
		if (c->run && c->view == view)
			return c;
	return NULL;
}

void completion_add_commands(const struct command *commands, enum cli_view view,
	const char *separator, struct buffer *to)
{
	bool is_first = true;

	for (const struct command *c = commands; c->name; c++) {
		if (!c->run || (view != CLI_VIEWS && c->view != view))
			continue;
		buffer_printf(to, "%s%s", is_first ? "" : separator, c->name);
		is_first = false;
	}
}

void completion_add_sorts(const struct command *commands, const char *before, struct buffer *to)
{
	buffer_add_text(to, "\tcase ${command:-programs} in\n");
	for (const struct command *c = commands; c->name; c++) {
		if (!c->run || !cli_option_is_for("sort", c->view))
			continue;
		buffer_printf(to, "\t%s%s) sorts='", before, c->name);
		command_add_sorts(c, " ", to);
		buffer_add_text(to, "' ;;\n");
	}
	buffer_add_text(to, "\tesac\n");
}

void completion_add_words(
	const struct command *c, const struct option_spec *spec, struct buffer *to)
{
	if (!strcmp(spec->name, "sort"))
		command_add_sorts(c, " ", to);
	else if (!strcmp(spec->name, "by"))
		for (unsigned int i = 0; c->by && c->by(i); i++)
			buffer_printf(to, "%s%s", i ? " " : "", c->by(i));
	else
		for (size_t i = 0; spec->choices && spec->choices[i]; i++)
			buffer_printf(to, "%s%s", i ? " " : "", spec->choices[i]);
}

void completion_add_options_with_value(const char *separator, struct buffer *to)
{
	size_t count;
	const struct option_spec *spec = option_table(&count);
	bool is_first = true;

	for (size_t i = 0; i < count; i++) {
		if (!(spec[i].programs & PROGRAM_MEMTALLY) || !completion_takes_value(&spec[i]))
			continue;
		buffer_printf(to, "%s--%s", is_first ? "" : separator, spec[i].name);
		is_first = false;
	}
}

void completion_add_letters(bool with_value, struct buffer *to)
{
	size_t count;
	const struct option_spec *spec = option_table(&count);

	for (size_t i = 0; i < count; i++)
		if (spec[i].programs & PROGRAM_MEMTALLY && spec[i].letter &&
			completion_letter_takes_value(&spec[i]) == with_value)
			buffer_add_char(to, spec[i].letter);
}

void completion_add_brief(
	const struct command *c, const struct option_spec *spec, struct buffer *to)
{
	AUTO_BUFFER struct buffer text = {0};

	help_add_text(spec, command_scope(c), &text);
	buffer_add_char(&text, '\0');
	if (text.error)
		to->error = text.error;
	else
		buffer_add(to, text.data, help_brief_len(text.data));
}

void completion_add_quoted(
	const struct buffer *text, const char *special, const char *quote, struct buffer *to)
{
	if (text->error)
		to->error = text->error;
	for (size_t i = 0; i < text->len; i++) {
		char c = text->data[i];

		if (c == '\'') {
			buffer_add_text(to, quote);
			continue;
		}
		if (strchr(special, c))
			buffer_add_char(to, '\\');
		buffer_add_char(to, c);
	}
}
