/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A daemon in a child process, in which system calls and allocations fail on demand (injector.h).
 * Its standard error goes to a log file, which is printed when the test fails.
 */
#ifndef MEMTALLY_TESTS_UNIT_SUPPORT_PROCESS_CHILD_H
#define MEMTALLY_TESTS_UNIT_SUPPORT_PROCESS_CHILD_H

#include <stdbool.h>
#include <sys/types.h>

#include "tests/unit/support/faults/injector.h"
#include "tests/unit/support/unit.h"

struct child {
	pid_t pid;    /* 0: not running */
	char log[48]; /* path of the log file */
};

/*
 * Call first in the child. From then on the child is killed when its parent exits, its standard
 * error goes to C's log, and the injector counts its calls. Returns false if any of that fails.
 */
bool child_begin(const struct child *c);

/* Returns the first 1023 bytes of the log, in a static buffer that the next call overwrites. */
const char *child_last_words(const struct child *c);

/* Fails the test with a sentence, the call that failed on demand, and the child's log. */
#define CHILD_FAIL(c, ...)                                                                         \
	do {                                                                                       \
		print_error(__VA_ARGS__);                                                          \
		fail_msg(" (%s)\n%s", injector_text(), child_last_words(c));                       \
	} while (0)

/* Fails the test if the child has exited. This reaps the child, so only the first call notices. */
void child_assert_running(const struct child *c);

/*
 * Returns the number of entries of the child's /proc/PID/fd, "." and ".." included; 0 if the caller
 * may not read it, as for an undumpable process.
 */
unsigned int child_descriptors(const struct child *c);

/*
 * Returns the number of entries with a link that does not begin with PREFIX, "." and ".." included,
 * and stores the number of all others in *RET_OTHERS. Both are 0 if the directory cannot be read.
 */
unsigned int child_descriptors_but(
	const struct child *c, const char *prefix, unsigned int *ret_others);

#endif
