/* SPDX-License-Identifier: Apache-2.0 */
/* The options of `memtally sharing`. */
#ifndef MEMTALLY_CLI_SHARING_SHARING_OPTIONS_H
#define MEMTALLY_CLI_SHARING_SHARING_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "cli/common/pid-selection.h"
#include "cli/sharing/sharing-row.h"
#include "config/settings.h"
#include "snapshot/owner.h"

struct sharing_options {
	struct pid_selection chosen; /* the chosen processes; empty: all */
	/* the kind of groups; OWNER_KINDS: the chosen processes are one group */
	enum owner_kind kind;
	enum sharing_field sort;
	bool ascending, json, csv, matrix, bytes;
	size_t limit;
};

/* Frees what A owns. */
void sharing_options_done(struct sharing_options *a);
#define AUTO_SHARING_OPTIONS CLEANUP(sharing_options_done)

/*
 * Reads the options from SETTINGS into *RET, which sharing_options_done() frees. Returns 0; -EINVAL
 * with a sentence for the user in ERROR; -ENOMEM. Pure.
 */
int sharing_options_parse(const struct settings *settings, struct sharing_options *ret,
	char error[static PID_SELECTION_ERROR_SIZE]);

/*
 * Returns true if the chosen processes are one group, which is compared with all other processes.
 */
static inline bool sharing_options_is_set(const struct sharing_options *a)
{
	return a->kind == OWNER_KINDS;
}

/* The by() of struct command (cli/common/command.h). */
const char *sharing_options_by(unsigned int i);

#endif
