/* SPDX-License-Identifier: Apache-2.0 */
/* Facts of the tables for the scripts of all shells. Pure; errors are in TO.error. */
#ifndef MEMTALLY_CLI_COMPLETION_COMPLETION_PRIVATE_H
#define MEMTALLY_CLI_COMPLETION_COMPLETION_PRIVATE_H

#include <stdbool.h>

#include "base/buffer.h"
#include "cli/common/command.h"

/* The source of the words that complete the value of an option, or an operand. */
enum completion_value {
	COMPLETION_NOTHING,
	COMPLETION_WORDS, /* completion_add_words() */
	COMPLETION_USERS,
	COMPLETION_GROUPS,
	COMPLETION_PIDS,
	COMPLETION_FILES,
	COMPLETION_VALUES
};

/* The first line of a script, behind its comment character. */
#define COMPLETION_TITLE "Completion for memtally, made from its tables of commands and options."

enum completion_value completion_value_of(const struct option_spec *spec);

/* Returns true if the option SPEC, or its letter, takes a value. */
bool completion_takes_value(const struct option_spec *spec);
bool completion_letter_takes_value(const struct option_spec *spec);

/* Returns true if the operands of C are pids. */
bool completion_has_pids(const struct command *c);

/* Returns the first of COMMANDS that is in the build and has VIEW; NULL: there is none. */
const struct command *completion_first_of(const struct command *commands, enum cli_view view);

/* Appends the names of the commands in the build, of VIEW or of all (CLI_VIEWS). */
void completion_add_commands(const struct command *commands, enum cli_view view,
	const char *separator, struct buffer *to);

/* Appends the words that the value of SPEC may be for C, with blanks between them. */
void completion_add_words(
	const struct command *c, const struct option_spec *spec, struct buffer *to);

/*
 * Appends, for bash and zsh, a case that sets "sorts" to the names that --sort takes: they are of each
 * command, while other options are of its view. BEFORE stands before each pattern.
 */
void completion_add_sorts(const struct command *commands, const char *before, struct buffer *to);

/* Appends the long options of memtally that take a value, each with "--". */
void completion_add_options_with_value(const char *separator, struct buffer *to);

/* Appends the letters of options that take a value (WITH_VALUE), or of those that take none. */
void completion_add_letters(bool with_value, struct buffer *to);

/* Appends what SPEC means for C, in a few words. */
void completion_add_brief(
	const struct command *c, const struct option_spec *spec, struct buffer *to);

/*
 * Appends TEXT, and a backslash in front of each character that is in SPECIAL. A single quote
 * becomes QUOTE.
 */
void completion_add_quoted(
	const struct buffer *text, const char *special, const char *quote, struct buffer *to);

#endif
