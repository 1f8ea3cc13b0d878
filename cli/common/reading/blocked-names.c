/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "cli/common/reading/blocked-names.h"

#include "base/log.h"
#include "cli/common/reading/pid-names.h"
#include "render/human.h"

void blocked_names_add(struct blocked_names *b, pid_t pid, const char *file, uint64_t slept_ns)
{
	if (b->count++ >= PID_NAMES_MAX)
		return;
	buffer_printf(&b->names, "%spid %d (%s%sfor ", b->count > 1 ? ", " : "", (int)pid, file,
		file[0] ? ", " : "");
	human_add_span(&b->names, slept_ns);
	buffer_add_char(&b->names, ')');
}

void blocked_names_say(struct blocked_names *b, const char *fate)
{
	pid_names_add_more(&b->names, b->count, PID_NAMES_MAX);
	if (b->count && !b->names.error)
		log_warning("%zu process%s %s, because the kernel blocks readers of %s files in "
			    "/proc: %.*s",
			b->count, b->count == 1 ? " is" : "es are", fate,
			b->count == 1 ? "its" : "their", (int)b->names.len, b->names.data);
	buffer_done(&b->names);
	b->count = 0;
}
