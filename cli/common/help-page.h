/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Help Pages
 *
 * What `memtally --help` and `memtally COMMAND --help` print, made from the table of commands
 * (cli/memtally.c) and the option table. Pure.
 */
#ifndef MEMTALLY_CLI_COMMON_HELP_PAGE_H
#define MEMTALLY_CLI_COMMON_HELP_PAGE_H

#include "base/buffer.h"
#include "cli/common/command.h"

/*
 * Appends a line for each of COMMANDS, up to one without a name, that the build has, and for each
 * option with a letter. Errors are in TO.error.
 */
void help_page_overview(const struct command *commands, struct buffer *to);

/*
 * Appends the purpose of C, its operands, the options that have a meaning for it, and examples.
 * Errors are in TO.error.
 */
void help_page_command(const struct command *c, struct buffer *to);

#endif
