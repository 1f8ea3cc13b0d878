/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Completion
 *
 * Scripts with which shells complete the command line of memtally: commands, the options of each
 * command, and values. Made by the build from the table of commands and the option table. Pure.
 */
#ifndef MEMTALLY_CLI_COMPLETION_COMPLETION_H
#define MEMTALLY_CLI_COMPLETION_COMPLETION_H

#include "base/buffer.h"
#include "cli/common/command.h"

/*
 * Append the script of bash, zsh or fish for COMMANDS, up to one without a name; those without .run
 * are left out. Errors are in TO.error.
 */
void completion_render_bash(const struct command *commands, struct buffer *to);
void completion_render_zsh(const struct command *commands, struct buffer *to);
void completion_render_fish(const struct command *commands, struct buffer *to);

#endif
