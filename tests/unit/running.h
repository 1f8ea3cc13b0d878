/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program that is run in a child, for tests of all of it: what it prints, what it says, how it exits. Nothing is left of that in any
 * folder.
 */
#ifndef MEMTALLY_TESTS_UNIT_RUNNING_H
#define MEMTALLY_TESTS_UNIT_RUNNING_H

#include "base/buffer.h"
#include "base/cleanup.h"

struct running {
	int status;
	struct buffer out, err; /* terminated */
};

void running_done(struct running *r);
#define AUTO_RUNNING CLEANUP(running_done)

/*
 * Has PROGRAM called with CONTEXT in a child, which exits with what that returns; its log goes to standard error. Standard output is OUTPUT,
 * which is borrowed, or -1: it is kept in .out. The test fails unless it exits.
 */
void running_do(int (*program)(void *context), void *context, int output, struct running *ret);

/* The test fails unless R has said EXPECTED, or with running_check_prints() printed it, among other things. */
void running_check_says(const struct running *r, const char *expected);
void running_check_prints(const struct running *r, const char *expected);

#endif
