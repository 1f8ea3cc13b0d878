/* SPDX-License-Identifier: Apache-2.0 */
/* Pid names: how a message names several processes. */
#ifndef MEMTALLY_CLI_COMMON_READING_PID_NAMES_H
#define MEMTALLY_CLI_COMMON_READING_PID_NAMES_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/buffer.h"

/* Processes that one message names; it counts the others. */
enum { PID_NAMES_MAX = 3 };

/*
 * Appends the names of COUNT processes: "pid 5", "pids 5 and 6", or "pids 5, 6, 7 and 17 more". PID
 * has the first ones, at most PID_NAMES_MAX.
 */
void pid_names_add(struct buffer *to, const pid_t *pid, size_t count);

/* Appends " and N more" if there are N more than the NAMED of COUNT processes. */
void pid_names_add_more(struct buffer *to, size_t count, size_t named);

/*
 * Processes with files in /proc that block their readers. Starts as {0}. pid_names_say_blocked() frees
 * it.
 */
struct pid_names_blocked {
	struct buffer names; /* of the first PID_NAMES_MAX */
	size_t count;
};

/*
 * Adds process PID: a reader of its FILE, such as "stat", was blocked for SLEPT_NS. FILE may be
 * empty: not known.
 */
void pid_names_add_blocked(
	struct pid_names_blocked *b, pid_t pid, const char *file, uint64_t slept_ns);

/*
 * Logs one warning that the processes are FATE, such as "left out", with pid, file and duration of
 * the first ones; it counts the others. Logs nothing if there are none, or if there was no memory.
 * Frees B.
 */
void pid_names_say_blocked(struct pid_names_blocked *b, const char *fate);

#endif
