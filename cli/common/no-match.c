/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "cli/common/no-match.h"

#include "base/log.h"
#include "cli/common/command.h"

void no_match_render(const struct settings *settings, bool hides_others, struct buffer *to)
{
	AUTO_BUFFER struct buffer filters = {0};

	command_add_filters(settings, &filters);
	buffer_printf(to, "no process%s with memory %s%.*s", hides_others ? " of yours" : "",
		filters.len ? "matches" : "was found", (int)filters.len,
		filters.data ? filters.data : "");
	if (hides_others)
		buffer_add_text(to, "; other users' processes are hidden from you: run as root");
}

void no_match_say(const struct settings *settings, bool hides_others)
{
	AUTO_BUFFER struct buffer text = {0};

	no_match_render(settings, hides_others, &text);
	if (text.error)
		log_error("out of memory");
	else
		log_error("%.*s", (int)text.len, text.data);
}
