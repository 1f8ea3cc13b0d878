/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Logs once why a process cannot be read: which right is missing, or that the kernel refuses in
 * spite of it, as for processes of an outer user namespace.
 */
#ifndef MEMTALLY_CLI_COMMON_READING_HINT_H
#define MEMTALLY_CLI_COMMON_READING_HINT_H

#include <stdbool.h>

#include "collectors/procfs/procfs.h"

struct hint {
	/*
	 * The text if a right is missing, CAP_SYS_PTRACE or CAP_DAC_READ_SEARCH; NULL: that
	 * mappings need CAP_SYS_PTRACE
	 */
	const char *denied;
	bool has_said_denied, has_said_hidden;
};

/*
 * R is the enum target_outcome or negative errno of reading a process below PROCFS. If R is
 * TARGET_DENIED, or TARGET_GONE and /proc hides processes, logs a hint, each at most once.
 */
void hint_say(struct hint *h, const struct procfs *procfs, int r);

#endif
