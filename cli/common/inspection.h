/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Inspection
 *
 * The common part of the commands that look inside processes. The run() of each (see struct command)
 * calls inspection_run() with a function that parses its options and one that shows the result.
 */
#ifndef MEMTALLY_CLI_COMMON_INSPECTION_H
#define MEMTALLY_CLI_COMMON_INSPECTION_H

#include <stdbool.h>

#include "cli/common/cli-option.h"
#include "cli/common/pid-selection.h"
#include "cli/table/list.h"
#include "config/settings.h"

/* The options of such a command. */
struct inspection {
	const struct settings *settings; /* borrowed */
	struct pid_selection chosen;     /* the processes; empty: all */
	struct list_look look;
	unsigned int by;   /* the number of the value of --by, as of by() of struct command */
	unsigned int sort; /* .index of the column by which rows are sorted */
	bool is_sorted, ascending;
	pid_t diff;          /* map: the process of --diff; 0: none */
	uint64_t start, end; /* pages: addresses to read, in whole pages; 0 and UINT64_MAX: all */
};

/* Frees what I owns. */
void inspection_done(struct inspection *i);
#define AUTO_INSPECTION CLEANUP(inspection_done)

/*
 * Parses I->settings into the other fields, which are zero. I owns the result also after a failure.
 * Returns 0; -EINVAL with a sentence for the user in ERROR; -ENOMEM. Pure.
 */
typedef int inspection_parse(struct inspection *i, char error[static CLI_OPTION_ERROR_SIZE]);

/*
 * Reads the processes, prints the result, and logs what is missing. Returns 0; 1 if a process could
 * not be read or there was none; -ENOMEM, -EOVERFLOW; or a negative errno of write().
 */
typedef int inspection_show(struct inspection *i);

/*
 * Runs a command of VIEW: checks and parses SETTINGS and, unless IS_CHECK, shows the result, under
 * supervision. Returns an enum command_exit.
 */
int inspection_run(const struct settings *settings, bool is_check, enum cli_view view,
	inspection_parse *parse, inspection_show *show);

#endif
