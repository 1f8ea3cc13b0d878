/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One reading of a process: the contents of its files below /proc/PID. process-image.h decides
 * whether they are of one image. Used only by the sources of process.h and process-image.h.
 */
#ifndef MEMTALLY_COLLECTORS_PROCESS_PROCESS_READING_H
#define MEMTALLY_COLLECTORS_PROCESS_PROCESS_READING_H

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>

#include "collectors/process/process-state.h"

enum {
	PROCESS_READING_ATTEMPTS = 2, /* if the process changes during the reading */
};

struct process_reading {
	struct process_reader *reader;
	struct process *process;
	int dirfd; /* of /proc/PID, borrowed */
	struct status status;
	struct smaps smaps;
	enum process_source source;
	/* negative errno of the walk, which says why there is no PSS; 0 if there is one */
	int error;
	bool looks; /* reads without a walk: .error is negative */
	/* a worker has read a file by pid, and P may have exited before that */
	bool is_unproven;
	bool is_stat_blocked; /* the last read of the leader's stat was blocked */
	bool trusts;          /* the known name and user are enough to identify the image */
	/* the result of an earlier walk, used instead of a walk; NULL: none */
	const struct smaps *walked;
};

/*
 * Returns whether ERROR is a failure of the host or of this program, which says nothing about the
 * process.
 */
static inline bool process_reading_is_shortage(int error)
{
	return error == -EMFILE || error == -ENFILE || error == -ENOMEM || error == -EIO;
}

/*
 * Reads stat of the leader, dead or not: it has the start time and the faults of the process.
 * Returns 0, or an error of fetch_text() or stat_parse().
 */
int process_reading_stat(struct process_reading *g, struct stat_info *ret);

/* Reads stat of the leader, as process_reading_stat(), for what the process has done. */
int process_reading_activity(struct process_reading *g, struct stat_activity *ret);

/*
 * Does what process_reading_stat() does. A dead leader has no address space, so .start_code and
 * .start_stack are those of a live thread then; both are 0 if the thread cannot be read. Returns
 * the same, also for a shortage at the thread (process_reading_is_shortage()).
 */
int process_reading_image_stat(struct process_reading *g, struct stat_info *ret);

/*
 * Reads status into .status: ids, name and counters. If the leader is dead, the counters are those
 * of a live thread. Returns 0; OUTCOME_NO_MM if there is no memory; OUTCOME_CHANGING if the leader
 * is dead and no live thread was found in time; or a negative errno. With both outcomes .status is
 * the leader's.
 */
int process_reading_counters(struct process_reading *g);

/*
 * Sets *RET to the parent of the process, as its status has it now: 0 if it has none in this pid
 * namespace. Does not block. Returns 0; -ENODATA if status does not tell; or another negative errno.
 */
int process_reading_parent(struct process_reading *g, pid_t *ret);

/*
 * Walks the page tables, by smaps_rollup, or by smaps if the kernel has no smaps_rollup (before
 * Linux 4.14). Sets .smaps and .source; or .error, which says why there is no result.
 */
void process_reading_walk(struct process_reading *g);

/*
 * Writes the label of the program to .program of the reader and sets RET->is_renamed. Uses the name
 * in G's status. Returns 0 or -ENOMEM.
 */
int process_reading_program(struct process_reading *g, struct sample *ret);

/*
 * Reads the cgroup into .cgroup of the reader and sets RET->has_cgroup. If users are counted by
 * login, reads the login UID first. If a file cannot be read, returns 0 and leaves RET unchanged:
 * the next pass tries again. Returns 0 or -ENOMEM.
 */
int process_reading_cgroup(struct process_reading *g, uint64_t now_ns, struct sample *ret);

#endif
