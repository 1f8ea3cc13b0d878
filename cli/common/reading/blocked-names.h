/* SPDX-License-Identifier: Apache-2.0 */
/* Blocked names: the warning about processes with files in /proc that block their readers. */
#ifndef MEMTALLY_CLI_COMMON_READING_BLOCKED_NAMES_H
#define MEMTALLY_CLI_COMMON_READING_BLOCKED_NAMES_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/buffer.h"

/* Starts as {0}. blocked_names_say() frees it. */
struct blocked_names {
	struct buffer names; /* of the first PID_NAMES_MAX */
	size_t count;
};

/*
 * Adds process PID: a reader of its FILE, such as "stat", was blocked for SLEPT_NS. FILE may be
 * empty: not known.
 */
void blocked_names_add(struct blocked_names *b, pid_t pid, const char *file, uint64_t slept_ns);

/*
 * Logs one warning that the processes are FATE, such as "left out", with pid, file and duration of
 * the first ones; it counts the others. Logs nothing if there are none, or if there was no memory.
 * Frees B.
 */
void blocked_names_say(struct blocked_names *b, const char *fate);

#endif
