/* SPDX-License-Identifier: Apache-2.0 */
/*
 * No match: the message if no process matches the filters of the command line, with what may help.
 */
#ifndef MEMTALLY_CLI_COMMON_NO_MATCH_H
#define MEMTALLY_CLI_COMMON_NO_MATCH_H

#include <stdbool.h>

#include "base/buffer.h"
#include "config/settings.h"
#include "snapshot/view.h"

/*
 * Appends to TO: "no process with memory matches --user=rot; did you mean --user=root?". VIEW has
 * the owners that are suggested. A suggestion differs from the value of a filter in few letters or
 * in their case, or the value is its uid or gid. There is none if the value is the name of an
 * owner, with or without processes. HIDES_OTHERS: the user cannot see other users' processes, and
 * the message says so in any case, before the suggestion.
 */
void no_match_render(const struct settings *settings, const struct view *view, bool hides_others,
	struct buffer *to);

/* Logs the text of no_match_render() as an error. */
void no_match_say(const struct settings *settings, const struct view *view, bool hides_others);

#endif
