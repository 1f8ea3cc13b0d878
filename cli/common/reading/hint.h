/* SPDX-License-Identifier: Apache-2.0 */
/* Logs once which right is missing, when a process cannot be read. */
#ifndef MEMTALLY_CLI_COMMON_READING_HINT_H
#define MEMTALLY_CLI_COMMON_READING_HINT_H

#include <stdbool.h>

#include "collectors/procfs/procfs.h"

struct hint {
	/* text to log if the kernel refuses; NULL: that mappings need CAP_SYS_PTRACE */
	const char *denied;
	bool has_said_denied, has_said_hidden;
};

/*
 * R is the enum target_outcome or negative errno of reading a process below PROCFS. If R is
 * TARGET_DENIED, or TARGET_GONE and /proc hides processes, logs a hint, each at most once.
 */
void hint_say(struct hint *h, const struct procfs *procfs, int r);

#endif
