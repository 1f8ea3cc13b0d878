/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shared by the sources of the program blocked: its supervisor (blocked.c), its processes
 * (blocked-kinds.c), and the FUSE server that blocks them (blocked-server.c).
 */
#ifndef MEMTALLY_TESTS_TOOLS_PROCESSES_BLOCKED_H
#define MEMTALLY_TESTS_TOOLS_PROCESSES_BLOCKED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum {
	COUNT_MAX = 1000, /* of processes */
	PAGE = 4096,
	TICK_US = 2000,
	EXIT_SKIP = 77,
};

enum kind { EXEC, FAULT, FROZEN, USERFAULT, STARVED, KINDS };

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

/*
 * Blocks the readers of this process, number I of S. FOLDER: where the file system of the FUSE server
 * is mounted. Does not return.
 */
void blocked_block(enum kind kind, const char *folder, struct shared *s, size_t i)
	__attribute__((noreturn));

/* Takes the processor once V has begun, until the processes are released. Does not return. */
void blocked_be_busy(const struct shared *s, const struct victim *v) __attribute__((noreturn));

/* Fills BYTES of memory. */
void blocked_fill(size_t bytes);

/* Sleeps for a tick. */
void blocked_nap(void);

/* Prints the reason, a format and its arguments, and exits with STATUS. */
void blocked_end(int status, const char *format, ...)
	__attribute__((format(printf, 2, 3), noreturn));

#endif
