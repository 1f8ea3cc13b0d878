/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A daemon in a child, in which system calls and allocations fail on demand (injector.h). What it says goes to a file, for
 * whom a test fails for.
 */
#ifndef MEMTALLY_TESTS_UNIT_CHILD_H
#define MEMTALLY_TESTS_UNIT_CHILD_H

#include <stdbool.h>
#include <sys/types.h>

#include "tests/unit/injector.h"
#include "tests/unit/unit.h"

struct child {
	pid_t pid;    /* 0: none */
	char log[48]; /* the path of the file */
};

/*
 * In the child, before all else: from now on it ends with its parent, its standard error is in C's file, and the injector is
 * entered. False: it can't be done.
 */
bool child_begin(const struct child *c);

/* The end of what it has said; until the next call. */
const char *child_last_words(const struct child *c);

/* The test fails with a sentence, what failed on demand, and its last words. */
#define CHILD_FAIL(c, ...)                                                                         \
	do {                                                                                       \
		print_error(__VA_ARGS__);                                                          \
		fail_msg(" (%s)\n%s", injector_text(), child_last_words(c));                       \
	} while (0)

/* The test fails if it has ended, which it is told about once. */
void child_assert_running(const struct child *c);

/* How many entries there are in its /proc/PID/fd; 0: they are not for us to see, as of who is not dumpable. */
unsigned int child_descriptors(const struct child *c);

/*
 * Returns the number of entries with a link that does not begin with PREFIX, and writes that of the others to *RET_OTHERS. Both
 * are 0 if the folder cannot be read.
 */
unsigned int child_descriptors_but(
	const struct child *c, const char *prefix, unsigned int *ret_others);

#endif
