/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "config/help.h"

#include <stdbool.h>
#include <string.h>

enum {
	HELP_INDENT = 8,
	OPTION_INDENT = 2,  /* in the help of a command: where options begin, */
	OPTION_COLUMN = 26, /* and their texts */
	BRIEF_COLUMN = 20,
};

size_t help_fill(const char *text, size_t column, size_t indent, struct buffer *to)
{
	while (*text) {
		size_t len = strcspn(text, " "), gap = column > indent;

		if (gap && column + gap + len > HELP_WIDTH) {
			buffer_add_char(to, '\n');
			column = gap = 0;
		}
		if (column < indent) {
			buffer_printf(to, "%*s", (int)(indent - column), "");
			column = indent;
		}
		buffer_add(to, " ", gap);
		buffer_add(to, text, len);
		column += gap + len;
		text += len;
		while (*text == ' ')
			text++;
	}
	return column;
}

/* Adds TEXT as an indented paragraph of at most HELP_WIDTH columns. */
static void add_filled(struct buffer *to, const char *text)
{
	help_fill(text, 0, HELP_INDENT, to);
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

/*
 * Returns the length of the names of commands and the colon with which TEXT begins, such as
 * "map, pages: "; 0: it does not begin so.
 */
static size_t scope_len(const char *text)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz_";
	size_t len = 0, name;

	while ((name = strspn(text + len, letters))) {
		len += name;
		if (!strncmp(text + len, ": ", 2))
			return len + 2;
		if (strncmp(text + len, ", ", 2) != 0)
			return 0;
		len += 2;
	}
	return 0;
}

/* Returns true if SCOPE, of LEN bytes, has the name COMMAND. */
static bool has_command(const char *scope, size_t len, const char *command)
{
	size_t name = strlen(command);

	for (size_t i = 0; i + name < len; i++)
		if (!strncmp(scope + i, command, name) && (!i || scope[i - 1] == ' ') &&
			strchr(",:", scope[i + name]))
			return true;
	return false;
}

/* Returns the length of the first sentence of TEXT, with its full stop. */
static size_t sentence_len(const char *text)
{
	const char *end = strstr(text, ". ");

	return end ? (size_t)(end - text) + 1 : strlen(text);
}

/*
 * Adds the value of SPEC as COMMAND takes it (NULL: as any command does). If commands take different
 * values, as in "TIME|FILE", there is one for each sentence that begins with commands, in that order.
 */
static void add_metavar(const struct option_spec *spec, const char *command, struct buffer *to)
{
	const char *value = spec->metavar;
	size_t values = 1, scopes = 0, skipped = 0;

	for (const char *at = value; (at = strchr(at, '|')); at++)
		values++;
	for (const char *at = spec->help; *at; at += strspn(at, " ")) {
		size_t scope = scope_len(at);

		if (scope && command && has_command(at, scope, command))
			skipped = scopes;
		scopes += scope > 0;
		at += scope;
		at += sentence_len(at);
	}
	if (!command || scopes != values) {
		buffer_add_text(to, value);
		return;
	}
	while (skipped--)
		value = strchr(value, '|') + 1;
	buffer_add(to, value, strcspn(value, "|"));
}

/* Adds SPEC as it is typed for COMMAND: "-n, --limit=N". Returns the number of columns. */
static size_t add_form(const struct option_spec *spec, const char *command, struct buffer *to)
{
	size_t begin = to->len;

	if (has_short_form(spec))
		buffer_printf(to, "-%c, ", spec->letter);
	buffer_printf(to, "--%s", spec->name);
	if (spec->metavar) {
		buffer_add_char(to, '=');
		add_metavar(spec, command, to);
	}
	return to->len - begin;
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
		add_form(&spec[i], NULL, to);
		buffer_add_char(to, '\n');
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

static char capital_of(char c)
{
	return (char)(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
}

void help_add_text(const struct option_spec *spec, const char *command, struct buffer *to)
{
	bool is_about = true;

	for (const char *at = spec->help; *at; at += strspn(at, " ")) {
		size_t scope = scope_len(at), len;

		if (scope)
			is_about = has_command(at, scope, command);
		at += scope;
		len = sentence_len(at);
		if (is_about) {
			buffer_add_text(to, to->len ? " " : "");
			buffer_add_char(to, scope ? capital_of(*at) : *at);
			buffer_add(to, at + 1, len - 1);
		}
		at += len;
	}
}

/* Adds the sentences about values that the table knows: the letter's, the range, the default. */
static void add_values(const struct option_spec *spec, struct buffer *to)
{
	char expected[OPTION_EXPECTED_SIZE];

	if (spec->letter_value)
		buffer_printf(to, " -%c is the same as --%s=%s.", spec->letter, spec->name,
			spec->letter_value);
	if (is_limited(spec)) {
		option_expected(spec, expected);
		buffer_printf(to, " Takes %s.", expected);
	}
	if (spec->fallback)
		buffer_printf(to, " Default: %s.", spec->fallback);
}

void help_render_option(
	const struct option_spec *spec, const char *command, const char *more, struct buffer *to)
{
	AUTO_BUFFER struct buffer text = {0};
	size_t column = has_short_form(spec) ? OPTION_INDENT : OPTION_INDENT + strlen("-x, ");

	help_add_text(spec, command, &text);
	add_values(spec, &text);
	if (more)
		buffer_printf(&text, " %s", more);
	buffer_add_char(&text, '\0');
	buffer_printf(to, "%*s", (int)column, "");
	column += add_form(spec, command, to);
	if (column + 2 > OPTION_COLUMN) {
		buffer_add_char(to, '\n');
		column = 0;
	}
	if (text.error)
		to->error = text.error;
	else
		help_fill(text.data, column, OPTION_COLUMN, to);
	buffer_add_char(to, '\n');
}

size_t help_brief_len(const char *text)
{
	size_t len = 0;

	while (text[len] && !(strchr(".;:", text[len]) && (!text[len + 1] || text[len + 1] == ' ')))
		len++;
	return len;
}

void help_render_brief(const struct option_spec *spec, struct buffer *to)
{
	size_t begin = to->len, len = help_brief_len(spec->help);

	buffer_printf(to, "%*s-%c, --%s", OPTION_INDENT, "", spec->letter, spec->name);
	if (spec->letter_value || spec->metavar)
		buffer_printf(to, "=%s", spec->letter_value ? spec->letter_value : spec->metavar);
	if (to->error)
		return;
	buffer_printf(
		to, "%*s%.*s\n", (int)(BRIEF_COLUMN - (to->len - begin)), "", (int)len, spec->help);
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
