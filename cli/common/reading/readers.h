/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Measuring workers of the command line (collectors/workers/workers.h): they read files that may
 * block, for a pass that memtally makes itself. memtally forks and kills them; they have its
 * rights, and end with it.
 */
#ifndef MEMTALLY_CLI_COMMON_READING_READERS_H
#define MEMTALLY_CLI_COMMON_READING_READERS_H

#include <stddef.h>
#include <sys/types.h>

#include "base/cleanup.h"
#include "collectors/workers/workers.h"

/* It is closed if .procfs_fd is -1. */
struct readers {
	struct workers workers;
	int procfs_fd;
	pid_t pid[LANES]; /* 0: no process */
};

#define READERS_CLOSED                                                                             \
	{                                                                                          \
		.procfs_fd = -1                                                                    \
	}

/*
 * Forks the first workers, which read below PROCFS. RET must be READERS_CLOSED; close it also after
 * a failure. A read counts as blocked after its worker has slept for 0.5 s, or for 20 ms once a
 * second was spent on such reads. Returns 0, or a negative errno of open(), mmap() or fork().
 */
int readers_open(const char *procfs, struct readers *ret);

/*
 * Kills all workers and frees R. Does not block: a worker that sleeps in the kernel may exit later.
 */
void readers_close(struct readers *r);
#define AUTO_READERS CLEANUP(readers_close)

#endif
