/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The subcommands of memtally, each a row of the table in cli/memtally.c, and their common ways to refuse settings, exit and print.
 */
#ifndef MEMTALLY_CLI_COMMAND_H
#define MEMTALLY_CLI_COMMAND_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buffer.h"
#include "config/settings.h"

enum command_exit {
	COMMAND_GOOD,
	COMMAND_FAILED,
	COMMAND_MISUSED,
};

struct command {
	const char *name; /* the first operand */
	/*
	 * Interprets SETTINGS and, unless IS_CHECK, prints the figures. Returns an enum command_exit; errors have been logged.
	 */
	int (*run)(const struct settings *settings, bool is_check);
	bool reads_processes; /* reads files of processes, which may block: runs under cli/supervisor.h */
};

/* Returns the exit status for R, the result of printing: 0, or a negative errno, which is logged unless it is -EPIPE. */
int command_printed(int r);

/* Does the same; R may also be 1: a part failed, and has been logged. */
int command_shown(int r);

/* Logs ERROR, a fault of the settings; empty if there was no memory for it. Returns COMMAND_MISUSED. */
int command_refuse(const char *error);

/* The width of the terminal in columns; 0 if standard output is no terminal. */
size_t command_width(void);

/* Appends the filters of SETTINGS as flags, such as " --user=alice --unit=a.service"; nothing if they cannot be shown. */
void command_add_filters(const struct settings *settings, struct buffer *to);

#endif
