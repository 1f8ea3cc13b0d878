/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "config/help.h"

#include <stdbool.h>
#include <string.h>

enum {
	HELP_INDENT = 8,
	HELP_WIDTH = 79,
};

/* Adds TEXT as an indented paragraph of at most HELP_WIDTH columns. */
static void add_filled(struct buffer *to, const char *text)
{
	size_t column = 0;

	while (*text) {
		size_t len = strcspn(text, " ");

		if (column && column + 1 + len > HELP_WIDTH) {
			buffer_add_char(to, '\n');
			column = 0;
		}
		if (!column) {
			buffer_printf(to, "%*s", HELP_INDENT, "");
			column = HELP_INDENT;
		} else {
			buffer_add_char(to, ' ');
			column++;
		}
		buffer_add(to, text, len);
		column += len;
		text += len;
		while (*text == ' ')
			text++;
	}
	buffer_add_char(to, '\n');
}

/* Returns true if the help has to say which values SPEC takes. */
static bool is_limited(const struct option_spec *spec)
{
	return spec->type == OPTION_COUNT || spec->type == OPTION_DURATION ||
	       spec->type == OPTION_PERCENT || spec->type == OPTION_CHOICE;
}

/* Returns true if the letter of SPEC takes the same values as the option. */
static bool has_short_form(const struct option_spec *spec)
{
	return spec->letter && !spec->letter_value;
}

void help_render(enum program program, const char *usage, const char *purpose, struct buffer *to)
{
	size_t count;
	const struct option_spec *spec = option_table(&count);

	buffer_printf(to, "Usage: %s\n\n%s\n\n", usage, purpose);
	for (size_t i = 0; i < count; i++) {
		char expected[OPTION_EXPECTED_SIZE];

		if (!(spec[i].programs & (unsigned int)program))
			continue;
		buffer_add_text(to, "  ");
		if (has_short_form(&spec[i]))
			buffer_printf(to, "-%c, ", spec[i].letter);
		buffer_printf(to, "--%s%s%s\n", spec[i].name, spec[i].metavar ? "=" : "",
			spec[i].metavar ? spec[i].metavar : "");
		add_filled(to, spec[i].help);
		if (spec[i].letter_value)
			buffer_printf(to, "%*s-%c is the same as --%s=%s.\n", HELP_INDENT, "",
				spec[i].letter, spec[i].name, spec[i].letter_value);
		if (is_limited(&spec[i])) {
			option_expected(&spec[i], expected);
			buffer_printf(to, "%*sTakes %s.\n", HELP_INDENT, "", expected);
		}
		if (spec[i].fallback)
			buffer_printf(to, "%*sDefault: %s\n", HELP_INDENT, "", spec[i].fallback);
		if (spec[i].variable && program == PROGRAM_MEMTALLY)
			buffer_printf(
				to, "%*sEnvironment: %s\n", HELP_INDENT, "", spec[i].variable);
	}
}

/*
 * Adds TEXT with one sentence a line, as mdoc demands, and escapes text that mdoc would take for a
 * request.
 */
static void add_mdoc_sentences(const char *text, struct buffer *to)
{
	bool starts_line = true;

	for (const char *c = text; *c; c++) {
		if (starts_line && (*c == '.' || *c == '\''))
			buffer_add_text(to, "\\&");
		starts_line = c > text && c[-1] == '.' && *c == ' ';
		if (starts_line)
			buffer_add_char(to, '\n');
		else if (*c == '\\')
			buffer_add_text(to, "\\e");
		else
			buffer_add_char(to, *c);
	}
	buffer_add_char(to, '\n');
}

static void add_mdoc_text(const struct option_spec *spec, struct buffer *to)
{
	char expected[OPTION_EXPECTED_SIZE];

	add_mdoc_sentences(spec->help, to);
	if (spec->letter_value)
		buffer_printf(to, ".Fl %c\nis the same as\n.Fl \\-%s Ns = Ns Cm %s .\n",
			spec->letter, spec->name, spec->letter_value);
	if (is_limited(spec)) {
		option_expected(spec, expected);
		buffer_printf(to, "Takes %s.\n", expected);
	}
	if (spec->fallback)
		buffer_printf(to, "The default is\n.Ql %s .\n", spec->fallback);
}

void help_render_mdoc(enum program program, struct buffer *to)
{
	size_t count;
	const struct option_spec *spec = option_table(&count);

	buffer_add_text(to, ".Bl -tag -width Ds\n");
	for (size_t i = 0; i < count; i++) {
		if (!(spec[i].programs & (unsigned int)program))
			continue;
		buffer_add_text(to, ".It ");
		if (has_short_form(&spec[i]))
			buffer_printf(to, "Fl %c , ", spec[i].letter);
		buffer_printf(to, "Fl \\-%s", spec[i].name);
		if (spec[i].metavar)
			buffer_printf(to, " Ns = Ns Ar %s", spec[i].metavar);
		buffer_add_char(to, '\n');
		add_mdoc_text(&spec[i], to);
		if (spec[i].variable && program == PROGRAM_MEMTALLY)
			buffer_printf(to, "The environment variable\n.Ev %s\nsets another one.\n",
				spec[i].variable);
	}
	buffer_add_text(to, ".El\n");
}

void help_render_mdoc_keys(struct buffer *to)
{
	size_t count;
	const struct option_spec *spec = option_table(&count);

	buffer_add_text(to, ".Bl -tag -width Ds\n");
	for (size_t i = 0; i < count; i++) {
		if (!spec[i].in_file)
			continue;
		buffer_printf(to, ".It Cm %s : Ar %s\n", spec[i].name,
			spec[i].metavar ? spec[i].metavar : "BOOL");
		add_mdoc_text(&spec[i], to);
		if (spec[i].variable && (spec[i].programs & PROGRAM_MEMTALLY))
			buffer_printf(to,
				"For\n.Xr memtally 1\nthe environment variable\n.Ev %s\ncomes before the file.\n",
				spec[i].variable);
		buffer_add_text(to, "Used by");
		for (unsigned int p = PROGRAM_MEMTALLYD; p <= PROGRAM_MEMTALLY; p <<= 1)
			if (spec[i].programs & p)
				buffer_printf(to, "\n.Xr %s %d%s",
					option_program_name((enum program)p),
					p == PROGRAM_MEMTALLY ? 1 : 8,
					spec[i].programs > 2 * p - 1 ? " ," : "");
		buffer_add_text(to, " .\n");
	}
	buffer_add_text(to, ".El\n");
}
