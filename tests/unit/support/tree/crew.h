/* SPDX-License-Identifier: Apache-2.0 */
/* Real measuring workers for unit tests, which read a simulated /proc. */
#ifndef MEMTALLY_TESTS_UNIT_SUPPORT_TREE_CREW_H
#define MEMTALLY_TESTS_UNIT_SUPPORT_TREE_CREW_H

#include <stdbool.h>
#include <sys/types.h>

#include "collectors/workers/workers.h"

struct crew {
	struct workers workers;
	int fd; /* directory of the tree; borrowed */
	pid_t pid[LANES];
	bool was_hurried; /* the last wait for a slow read used the short patience */
	/* Set by the test: */
	bool is_stopped;  /* the wait callback asks to stop: no further read is waited for */
	bool cannot_kill; /* killing a worker has no effect */
};

/*
 * Starts workers that read below directory FD. CREW must not move afterwards: the workers'
 * callbacks point to it.
 */
void crew_open(struct crew *crew, int fd);

/* Reaps the workers that have exited, and frees their lanes. */
void crew_reap(struct crew *crew);

/* Kills all workers, and waits until they have exited. */
void crew_close(struct crew *crew);

#endif
