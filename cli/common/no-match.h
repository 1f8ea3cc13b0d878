/* SPDX-License-Identifier: Apache-2.0 */
/*
 * No match: the message if no process matches the filters of the command line, with what may help.
 */
#ifndef MEMTALLY_CLI_COMMON_NO_MATCH_H
#define MEMTALLY_CLI_COMMON_NO_MATCH_H

#include <stdbool.h>

#include "base/buffer.h"
#include "config/settings.h"

/*
 * Appends to TO: "no process with memory matches --user=alice". HIDES_OTHERS: the user cannot see
 * the processes of others, and the message says so.
 */
void no_match_render(const struct settings *settings, bool hides_others, struct buffer *to);

/* Logs the text of no_match_render() as an error. */
void no_match_say(const struct settings *settings, bool hides_others);

#endif
