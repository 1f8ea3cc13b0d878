/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shared by the sources of the program blocked: its processes (blocked.c), and the FUSE server that
 * blocks them (blocked-server.c).
 */
#ifndef MEMTALLY_TESTS_TOOLS_PROCESSES_BLOCKED_H
#define MEMTALLY_TESTS_TOOLS_PROCESSES_BLOCKED_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum {
	COUNT_MAX = 1000, /* of processes */
	PAGE = 4096,
};

/* Memory shared by the supervisor, the FUSE server and the processes. */
struct victim {
	pid_t pid;           /* 0: not started */
	bool is_filled;      /* has filled its memory */
	unsigned int reads;  /* reads of its file that the server was asked for */
	bool holds;          /* holds the lock: the server has received its request */
	uint64_t pending[2]; /* requests without an answer: flush, read; 0: none */
};

struct shared {
	bool released;
	bool begun;  /* processes that have filled their memory may block */
	bool opened; /* the file system is mounted, and the processes may begin */
	struct victim victim[COUNT_MAX];
};

/*
 * Serves requests from DEV, the FUSE device: a folder "/" with a file "0", "1", ... for each
 * process. Until .released is set, which it checks every 50 ms, the server answers no flush of a
 * file and no read after the first. Exits when the connection ends.
 */
void blocked_serve(int dev, struct shared *s);

#endif
