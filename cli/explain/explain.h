/* SPDX-License-Identifier: Apache-2.0 */
/* `memtally explain`: the memory of single processes in plain words. */
#ifndef MEMTALLY_CLI_EXPLAIN_EXPLAIN_H
#define MEMTALLY_CLI_EXPLAIN_EXPLAIN_H

#include <stdbool.h>

#include "cli/common/pid-selection.h"
#include "config/settings.h"

struct explain {
	struct pid_selection chosen;
	bool json, bytes;
	size_t limit; /* rows of each list */
};

/* Frees what E owns. */
void explain_done(struct explain *e);
#define AUTO_EXPLAIN CLEANUP(explain_done)

/*
 * Reads the options from SETTINGS into *RET, which explain_done() frees. Returns 0; -EINVAL with a
 * sentence for the user in ERROR; -ENOMEM. Pure.
 */
int explain_parse(const struct settings *settings, struct explain *ret,
	char error[static PID_SELECTION_ERROR_SIZE]);

/*
 * Reads the processes, prints a page or a JSON object for each, and logs which could not be read.
 * Returns 0; 1 if a process could not be read or there was none; -ENOMEM; or a negative errno of
 * write().
 */
int explain_show(const struct settings *settings, struct explain *e);

/* The run() of struct command (cli/common/command.h). */
int explain_run(const struct settings *settings, bool is_check);

#endif
