/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "cli/common/reading/pid-names.h"

#include "base/log.h"
#include "render/human.h"

void pid_names_add(struct buffer *to, const pid_t *pid, size_t count)
{
	size_t named = count < PID_NAMES_MAX ? count : PID_NAMES_MAX;

	buffer_add_text(to, count == 1 ? "pid " : "pids ");
	for (size_t i = 0; i < named; i++) {
		if (i)
			buffer_add_text(to, i + 1 == count ? " and " : ", ");
		buffer_printf(to, "%d", (int)pid[i]);
	}
	pid_names_add_more(to, count, named);
}

void pid_names_add_more(struct buffer *to, size_t count, size_t named)
{
	if (count > named)
		buffer_printf(to, " and %zu more", count - named);
}

void pid_names_add_blocked(
	struct pid_names_blocked *b, pid_t pid, const char *file, uint64_t slept_ns)
{
	if (b->count++ >= PID_NAMES_MAX)
		return;
	buffer_printf(&b->names, "%spid %d (%s%sfor ", b->count > 1 ? ", " : "", (int)pid, file,
		file[0] ? ", " : "");
	human_add_span(&b->names, slept_ns);
	buffer_add_char(&b->names, ')');
}

void pid_names_say_blocked(struct pid_names_blocked *b, const char *fate)
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
