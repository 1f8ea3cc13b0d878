/* SPDX-License-Identifier: Apache-2.0 */
/* Real workers for unit tests, which read a tree of files. */
#ifndef MEMTALLY_TESTS_UNIT_CREW_H
#define MEMTALLY_TESTS_UNIT_CREW_H

#include <stdbool.h>
#include <sys/types.h>

#include "collectors/workers.h"

struct crew {
	struct workers workers;
	int fd; /* of the tree; borrowed */
	pid_t pid[LANES];
	bool was_hurried; /* the last read that took some time was waited for with the short patience */
	/* Set by the test: */
	bool is_stopped;  /* no read is waited for any more */
	bool cannot_kill; /* a worker that is to be killed goes on */
};

/* Starts workers that read below FD. CREW must not move afterwards. */
void crew_open(struct crew *crew, int fd);

/* Notes which workers have exited. */
void crew_reap(struct crew *crew);

/* Kills all workers, and waits for their end. */
void crew_close(struct crew *crew);

#endif
