/* SPDX-License-Identifier: Apache-2.0 */
#include "config.h"

#include "cli/common/reading/pid-names.h"

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
