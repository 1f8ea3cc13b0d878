/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Help Texts
 *
 * Renders the option table as --help and as parts of the man pages.
 */
#ifndef MEMTALLY_SETTINGS_HELP_H
#define MEMTALLY_SETTINGS_HELP_H

#include "base/buffer.h"
#include "config/option.h"

enum { HELP_WIDTH = 79 };

/*
 * Appends the words of TEXT in lines of at most HELP_WIDTH columns, each indented by INDENT. COLUMN
 * is the number of columns that the first line already has. Returns that of the last line, which has
 * no newline. Errors are in TO.error.
 */
size_t help_fill(const char *text, size_t column, size_t indent, struct buffer *to);

/*
 * Appends to TO what --help of PROGRAM prints. USAGE is the text after "Usage: ", one or more lines
 * under 80 columns; PURPOSE says in a sentence what the program does. Errors are in TO.error.
 */
void help_render(enum program program, const char *usage, const char *purpose, struct buffer *to);

/*
 * Appends the sentences of SPEC's help that are about COMMAND of memtally ("lists": a list), without
 * names of commands, and behind a blank if TO has text. Errors are in TO.error.
 */
void help_add_text(const struct option_spec *spec, const char *command, struct buffer *to);

/*
 * Appends SPEC with the sentences about COMMAND, its values and the sentence MORE (NULL: none) in
 * two columns. Errors are in TO.error.
 */
void help_render_option(
	const struct option_spec *spec, const char *command, const char *more, struct buffer *to);

/* Returns the length of the beginning of TEXT, up to the first full stop, colon or semicolon. */
size_t help_brief_len(const char *text);

/* Appends SPEC, which has a letter, with the beginning of its help, in one line. */
void help_render_brief(const struct option_spec *spec, struct buffer *to);

/* Appends the list of PROGRAM's options as mdoc, for its man page. */
void help_render_mdoc(enum program program, struct buffer *to);

/* Appends the list of the configuration file's keys as mdoc. */
void help_render_mdoc_keys(struct buffer *to);

#endif
