/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `memtally files`: the files that processes have mapped, what of each is in memory, and what it costs all of them; and who
 * maps a file, or one that was deleted or replaced.
 */
#ifndef MEMTALLY_CLI_FILES_H
#define MEMTALLY_CLI_FILES_H

#include <stdbool.h>
#include <stddef.h>

#include "cli/chosen.h"
#include "config/settings.h"
#include "inside/shelf.h"

struct files {
	struct chosen chosen; /* nothing: all processes */
	const char *file;     /* the settings': who maps this one; NULL: none is asked for */
	bool deleted;         /* who maps what was deleted or replaced */
	enum shelf_field sort;
	bool is_sorted; /* as the user has said */
	bool ascending, bytes, json, csv;
	size_t limit; /* rows to show; 0: all */
};

void files_done(struct files *f);
#define AUTO_FILES CLEANUP(files_done)

/* What SETTINGS ask for. Pure. -EINVAL with a sentence for the user in ERROR; -ENOMEM. */
int files_parse(
	const struct settings *settings, struct files *ret, char error[static CHOSEN_ERROR_SIZE]);

/*
 * Looks and prints, for a terminal of WIDTH columns or, at 0, none, and says on the log whose files are missing. 0; 1: a process that
 * was named could not be read, or there was nothing to print; or an error of printing.
 */
int files_show(const struct settings *settings, struct files *f, size_t width);

/* As struct command has it. */
int files_run(const struct settings *settings, bool is_check);

#endif
