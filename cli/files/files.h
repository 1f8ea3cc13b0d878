/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `memtally files`: the files that processes map and the memory that each takes; with --file or
 * --deleted, the processes that map one file, or deleted and replaced files.
 */
#ifndef MEMTALLY_CLI_FILES_FILES_H
#define MEMTALLY_CLI_FILES_FILES_H

#include <stdbool.h>
#include <stddef.h>

#include "cli/common/pid-selection.h"
#include "config/settings.h"
#include "inspect/files/file-table.h"

struct files {
	struct pid_selection chosen; /* empty: all processes */
	/* list the processes that map this file; borrowed from the settings; NULL: not asked for */
	const char *file;
	bool deleted; /* list the processes that map deleted or replaced files */
	enum file_table_field sort;
	bool is_sorted; /* the user gave --sort */
	bool ascending, bytes, json, csv;
	size_t limit; /* rows to show; 0: all */
};

/* Frees what F owns. */
void files_done(struct files *f);
#define AUTO_FILES CLEANUP(files_done)

/*
 * Reads the options from SETTINGS into *RET, which files_done() frees. Returns 0; -EINVAL with a
 * sentence for the user in ERROR; -ENOMEM. Pure.
 */
int files_parse(const struct settings *settings, struct files *ret,
	char error[static PID_SELECTION_ERROR_SIZE]);

/*
 * Reads the processes and prints files or processes, for a terminal of WIDTH columns (0: no
 * terminal). Logs which processes could not be read. Returns 0; 1 if a given pid could not be read
 * or there was nothing to print; -ENOMEM, -EOVERFLOW; or a negative errno of write().
 */
int files_show(const struct settings *settings, struct files *f, size_t width);

/* The run() of struct command (cli/common/command.h). */
int files_run(const struct settings *settings, bool is_check);

#endif
