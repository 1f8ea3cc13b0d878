/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The terminal program: one view of one snapshot, as a table or as JSON, on standard output. What is to
 * be known about it (where it comes from, what is missing) goes to standard error.
 */
#ifndef MEMTALLY_CLI_MEMTALLY_H
#define MEMTALLY_CLI_MEMTALLY_H

/* The program's exit status: 0; 1 something failed, the output included, or no process matches the filters; 2 wrong usage. */
int memtally_run(int argc, char *argv[]);

#endif
