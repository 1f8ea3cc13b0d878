/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The terminal program: prints one view of one snapshot on standard output, as a table or as JSON.
 * The source of the figures, and warnings about missing ones, go to standard error.
 */
#ifndef MEMTALLY_CLI_MEMTALLY_H
#define MEMTALLY_CLI_MEMTALLY_H

#include "cli/common/command.h"

/* Returns the commands; the last one has no name. Those without .run are not in the build. */
const struct command *memtally_commands(void);

/*
 * Runs the program with main()'s arguments. Returns its exit status: 0; 1 if a part failed (also if
 * the output could not be written) or no process matches the filters; 2 if the command line or the
 * configuration is wrong.
 */
int memtally_run(int argc, char *argv[]);

#endif
