/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program run in a child process: its output, its messages and its exit status. Output is kept
 * in memory, so no files are left.
 */
#ifndef MEMTALLY_TESTS_UNIT_SUPPORT_PROCESS_RUNNING_H
#define MEMTALLY_TESTS_UNIT_SUPPORT_PROCESS_RUNNING_H

#include "base/buffer.h"
#include "base/cleanup.h"

struct running {
	int status;
	struct buffer out, err; /* standard output and standard error, NUL-terminated */
};

void running_done(struct running *r);
#define AUTO_RUNNING CLEANUP(running_done)

/*
 * Calls PROGRAM(CONTEXT) in a child, which exits with the result. Standard error goes to .err.
 * Standard output goes to OUTPUT, which is borrowed, or to .out if OUTPUT is -1. The test fails if
 * the child is killed by a signal.
 */
void running_do(int (*program)(void *context), void *context, int output, struct running *ret);

/*
 * The test fails unless R's standard error (check_says) or standard output (check_prints) contains
 * EXPECTED.
 */
void running_check_says(const struct running *r, const char *expected);
void running_check_prints(const struct running *r, const char *expected);

#endif
