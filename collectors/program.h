/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a process's program is called: the rule of ps_mem.
 */
#ifndef MEMTALLY_COLLECTORS_PROGRAM_H
#define MEMTALLY_COLLECTORS_PROGRAM_H

#include <stddef.h>

#include "base/buffer.h"

/*
 * Appends the name, clean and of at most SNAPSHOT_NAME_MAX bytes, to TO: COMM, or the base name of the
 * executable where COMM is the beginning of it (comm holds 15 bytes). EXE is the target of /proc/PID/exe,
 * NULL where it can't be read; a file that was deleted or replaced under the running program is marked
 * " [deleted]". Whether another file stands at its path now is not looked up: the path is the user's, and
 * may be on a file system that hangs.
 */
void program_name(
	const char *comm, size_t comm_len, const char *exe, size_t exe_len, struct buffer *to);

#endif
