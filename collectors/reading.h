/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One reading of a process that is under way: what its files below /proc/PID say, without a judgement of whether they
 * speak of one image (identity.h). For process.c and identity.c alone.
 */
#ifndef MEMTALLY_COLLECTORS_READING_H
#define MEMTALLY_COLLECTORS_READING_H

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>

#include "collectors/process.h"

enum {
	READING_ATTEMPTS = 2, /* where it changes meanwhile */
	READING_PATH_SIZE = 64,
};

struct reading {
	struct process_reader *reader;
	struct process *process;
	int dirfd; /* of /proc/PID, borrowed */
	struct status status;
	struct smaps smaps;
	enum process_source source;
	int error;                  /* of the walk: why there is no PSS; 0 where there is */
	bool looks;                 /* there is to be no walk: .error is negative */
	bool trusts;                /* a name and a user that are known stand for the image */
	const struct smaps *walked; /* there was one; NULL: there is to be one */
};

/* Whether ERROR is the host's or our own lack, which says nothing of the process. */
static inline bool reading_is_shortage(int error)
{
	return error == -EMFILE || error == -ENFILE || error == -ENOMEM;
}

/* The path of FILE below P's directory, through the live thread of a dead leader where need be. */
const char *reading_path(
	const struct process *p, const char *file, char to[static READING_PATH_SIZE]);

/* Always the leader's, dead or not: the start time is the process's. 0, or an error of open, read or stat_parse(). */
int reading_stat(struct reading *g, struct stat_info *ret);

/*
 * Who it is and what its counters say. 0; OUTCOME_NO_MM; OUTCOME_CHANGING: its leader is dead and
 * threads come and go faster than they are found, but there are some; or an error. In both outcomes
 * the leader's status is in G.
 */
int reading_counters(struct reading *g);

/*
 * Walks the page tables; where rollup is missing (before Linux 4.14), through smaps. What was
 * found, or why nothing was, is in .smaps, .source and .error.
 */
void reading_walk(struct reading *g);

/* The name of its program, into the reader's .program, by the status in G. -ENOMEM. */
int reading_program(struct reading *g, struct sample *ret);

/* Its cgroup, into the reader's, where it can be had. -ENOMEM. */
int reading_cgroup(struct reading *g, uint64_t now_ns, struct sample *ret);

#endif
