/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the program can be asked for, each a row of the table in cli/memtally.c, and what all of these are alike in: how they
 * refuse, end and print.
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
	const char *name; /* its first operand */
	/*
	 * Finds out what SETTINGS ask for and, unless IS_CHECK, shows it. A command_exit: what is wrong with the settings or
	 * went wrong was said.
	 */
	int (*run)(const struct settings *settings, bool is_check);
};

/* For what printing returned: 0, or a negative errno, which is said. Whoever closed a pipe knows that. */
int command_printed(int r);

/* The same, where 1 is that some of it failed, which was said. */
int command_shown(int r);

/* Says what is wrong with the settings: ERROR, which is empty where there was no memory. COMMAND_MISUSED. */
int command_refuse(const char *error);

/* The terminal's width in columns; 0 where standard output is none. */
size_t command_width(void);

/* " --user=alice --unit=a.service": what rows are asked for by; nothing where that can't be told. */
void command_add_filters(const struct settings *settings, struct buffer *to);

#endif
