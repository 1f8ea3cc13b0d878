/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A folder like /proc, and real workers that read it. A FIFO without a writer blocks its reader like
 * a held lock.
 */
#ifndef MEMTALLY_TESTS_UNIT_SUPPORT_TREE_CREWED_H
#define MEMTALLY_TESTS_UNIT_SUPPORT_TREE_CREWED_H

#include "tests/unit/support/tree/crew.h"

enum {
	CREWED_FREE = 12,   /* has status, stat and exe */
	CREWED_BLOCKS = 13, /* its stat blocks */
	CREWED_MISSING = 14,
};

struct crewed {
	struct crew crew;
	char root[32];
	int fd; /* of the folder */
};

/* Set-up and tear-down of a test, with struct crewed as its state. */
int crewed_set_up(void **state);
int crewed_tear_down(void **state);

/* Writes TEXT to the file PATH below the folder. */
void crewed_add(const struct crewed *s, const char *path, const char *text);

/* Calls workers_read() for the file PATH of PID. Returns its result, and the text in TO. */
int crewed_read(struct crewed *s, pid_t pid, const char *path, char to[static 64]);

/*
 * Sends SIGNAL (SIGKILL or SIGSTOP) to the worker that serves ROLE, and waits until it has exited
 * or stopped.
 */
void crewed_signal(const struct crewed *s, enum lanes_role role, int signal);

#endif
