/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `memtally files`: the files that processes map and the memory that each takes; with --file or
 * --deleted, the processes that map one file, or deleted and replaced files.
 */
#ifndef MEMTALLY_CLI_FILES_FILES_H
#define MEMTALLY_CLI_FILES_FILES_H

#include <stdbool.h>

#include "config/settings.h"

/* The run() of struct command (cli/common/command.h). */
int files_run(const struct settings *settings, bool is_check);

#endif
