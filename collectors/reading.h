/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One reading of a process that is under way: the contents of its files below /proc/PID. Whether they are of one image is
 * decided by identity.h. Used only by process.c and identity.c.
 */
#ifndef MEMTALLY_COLLECTORS_READING_H
#define MEMTALLY_COLLECTORS_READING_H

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>

#include "collectors/process.h"

enum {
	READING_ATTEMPTS = 2, /* if it changes during the reading */
	READING_PATH_SIZE = 64,
};

struct reading {
	struct process_reader *reader;
	struct process *process;
	int dirfd; /* of /proc/PID, borrowed */
	struct status status;
	struct smaps smaps;
	enum process_source source;
	int error;            /* of the walk: why there is no PSS; 0 if there is one */
	bool looks;           /* without a walk: .error is negative */
	bool is_unproven;     /* a worker has read a file by pid, and P may have exited before */
	bool is_stat_blocked; /* the last reading_stat() was blocked */
	bool trusts;          /* the known name and user are enough to identify the image */
	const struct smaps
		*walked; /* the result of a walk that was made before; NULL: there is none */
};

/* Whether ERROR is a failure of the host or of this program, and says nothing about the process. */
static inline bool reading_is_shortage(int error)
{
	return error == -EMFILE || error == -ENFILE || error == -ENOMEM || error == -EIO;
}

/* Writes to TO the path of FILE below P's directory: of a live thread if P's leader is dead. Returns TO. */
const char *reading_path(
	const struct process *p, const char *file, char to[static READING_PATH_SIZE]);

/*
 * Reads stat of the leader, dead or not: it has the start time of the process. Returns 0, or an error of fetch_text() or
 * stat_parse().
 */
int reading_stat(struct reading *g, struct stat_info *ret);

/*
 * Reads status: ids, name and counters. Returns 0; OUTCOME_NO_MM; OUTCOME_CHANGING if the leader is dead, and other threads
 * come and go faster than they are found; or a negative errno. In both outcomes .status has that of the leader.
 */
int reading_counters(struct reading *g);

/*
 * Walks the page tables, by smaps_rollup, or by smaps if the kernel has none (before Linux 4.14). The result is in .smaps and
 * .source, or .error says why there is none.
 */
void reading_walk(struct reading *g);

/* Writes the name of the program to .program of the reader, by the status in G. Returns 0 or -ENOMEM. */
int reading_program(struct reading *g, struct sample *ret);

/* Reads the cgroup, if it can be read, into .cgroup of the reader. Returns 0 or -ENOMEM. */
int reading_cgroup(struct reading *g, uint64_t now_ns, struct sample *ret);

#endif
