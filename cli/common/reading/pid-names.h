/* SPDX-License-Identifier: Apache-2.0 */
/* Pid names: how a message names several processes. Pure. */
#ifndef MEMTALLY_CLI_COMMON_READING_PID_NAMES_H
#define MEMTALLY_CLI_COMMON_READING_PID_NAMES_H

#include <stddef.h>
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

#endif
