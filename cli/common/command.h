/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Commands
 *
 * The subcommands of memtally, each a row of the table in cli/memtally.c, and how they refuse
 * settings, exit and print.
 */
#ifndef MEMTALLY_CLI_COMMON_COMMAND_H
#define MEMTALLY_CLI_COMMON_COMMAND_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buffer.h"
#include "cli/common/cli-option.h"
#include "cli/common/sort-names.h"
#include "cli/table/list.h"
#include "config/settings.h"

enum command_exit {
	COMMAND_GOOD,    /* 0 */
	COMMAND_FAILED,  /* 1: a part failed, or there was nothing to print */
	COMMAND_MISUSED, /* 2: wrong settings */
};

struct command_example {
	const char *arguments; /* behind "memtally " */
	const char *purpose;   /* what they print: a sentence */
};

enum { COMMAND_EXAMPLES = 2, COMMAND_TABLES = 2 };

struct command {
	const char *name;     /* the first operand */
	const char *operands; /* the others, for the help: " PID..." */
	const char *purpose;  /* what it prints: the end of a sentence that begins with "Prints" */
	const char *about;    /* more sentences: its operands, and what it needs */
	struct command_example example[COMMAND_EXAMPLES];
	enum cli_view view; /* says which options it takes */
	/* Returns value I of --by, the default first; NULL: there are only I. NULL: no --by. */
	const char *(*by)(unsigned int i);
	/*
	 * The names that --sort takes: columns with COLUMN_SORT of these tables, and the names that
	 * .add_sorts adds for the command NAME. NULL: none.
	 */
	const struct columns *columns[COMMAND_TABLES];
	void (*add_sorts)(const char *name, struct sort_names *to);
	/*
	 * Parses SETTINGS and, unless IS_CHECK, prints the figures. Returns an enum command_exit;
	 * errors have been logged. NULL: the build is without this command, and .lack says why.
	 */
	int (*run)(const struct settings *settings, bool is_check);
	const char *lack; /* the end of a sentence that begins with "this build" */
};

/*
 * Returns the command NAME of COMMANDS, which end with one without a name; NULL: there is none.
 */
const struct command *command_find(const struct command *commands, const char *name);

/*
 * Writes to ERROR that WORD is no command, with the one of COMMANDS that is spelled most like it or,
 * if there is none, with all of them. Leaves out those that are not in the build.
 */
void command_refuse_word(
	const struct command *commands, const char *word, char error[static CLI_OPTION_ERROR_SIZE]);

/* Returns true if C lists owners or processes. */
bool command_is_list(const struct command *c);

/* Returns the name by which sentences of option help name C (config/option.h). */
const char *command_scope(const struct command *c);

/* Returns true if SPEC, an option of memtally, has a meaning for C. */
bool command_takes(const struct command *c, const struct option_spec *spec);

/*
 * Appends the heads of columns that --sort takes for C, in small letters and with SEPARATOR between
 * them, each once. Errors are in TO.error.
 */
void command_add_sorts(const struct command *c, const char *separator, struct buffer *to);

/*
 * Returns the exit status for R, the result of printing: 0 or a negative errno. Logs an errno,
 * except -EPIPE.
 */
int command_printed(int r);

/*
 * Does the same as command_printed(), and returns COMMAND_FAILED if R is 1: a part failed, and has
 * been logged.
 */
int command_shown(int r);

/*
 * Logs ERROR, which says what is wrong with the settings; it is empty if there was no memory for
 * it. Appends "; try --help" unless ERROR ends with '?', which means that it has a suggestion.
 * Returns COMMAND_MISUSED.
 */
int command_refuse(const char *error);

/* Logs LINES, which may be none, as warnings. Changes the last newline. Without memory logs nothing. */
void command_warn(struct buffer *lines);

/* Logs that the proc file system of SETTINGS cannot be read: R is the negative errno. */
void command_say_unreadable(const struct settings *settings, int r);

/*
 * Appends to TO, in parentheses, how to reach PROGRAM (memtallyd, memtally-ledger or -recorder) after
 * the error R: a negative errno of connect(), -ECONNRESET if it closed the connection, -ENOMSG if
 * another program answers, or -EPROTO if it has another version. SETTINGS has the paths of the
 * sockets. Appends nothing if there is no advice for R.
 */
void command_add_advice(
	struct buffer *to, int r, enum program program, const struct settings *settings);

/* Returns the width of the terminal in columns; 0 if standard output is no terminal. */
size_t command_width(void);

/*
 * Returns true if tables may have bold and dim text: standard output is a terminal, and neither
 * NO_COLOR nor a TERM without such text (empty, dumb) is set.
 */
bool command_has_styles(void);

/* Returns how SETTINGS want lists to be shown: as JSON, CSV or OTHER. */
struct list_look command_look(const struct settings *settings, enum list_form other);

#endif
