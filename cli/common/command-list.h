/* SPDX-License-Identifier: Apache-2.0 */
/*
 * List of Commands
 *
 * Finds a command of memtally by its name, and says which one a wrong word may mean. Pure.
 */
#ifndef MEMTALLY_CLI_COMMON_COMMAND_LIST_H
#define MEMTALLY_CLI_COMMON_COMMAND_LIST_H

#include <stddef.h>

#include "cli/common/command.h"
#include "snapshot/query.h"

/* Returns the command NAME of the COUNT commands at COMMAND; NULL: there is none. */
const struct command *command_list_find(
	const struct command *command, size_t count, const char *name);

/*
 * Writes to ERROR that WORD is none of the COUNT commands at COMMAND, with the command that it may
 * mean or with all commands that the build has.
 */
void command_list_refuse(const struct command *command, size_t count, const char *word,
	char error[static QUERY_ERROR_SIZE]);

#endif
